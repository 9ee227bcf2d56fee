/* color-aos: RGB to YCbCr and back in fixed point, pixels as structs of three bytes, and a boost
 * of the colours in between.
 * Stresses an array of structs, a struct taken and returned by value, saturation by a helper, a
 * table look-up by a byte. */
// sizes: 300000 | 8000000 | 24000000
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

struct rgb {
    uint8_t r, g, b;
};

struct ycc {
    uint8_t y, cb, cr;
};

static uint8_t saturate(int v)
{
    if (v < 0)
        v = 0;
    else if (v > 255)
        v = 255;
    return (uint8_t)v;
}

static struct ycc to_ycc(struct rgb p)
{
    struct ycc q;
    q.y = saturate((19595 * p.r + 38470 * p.g + 7471 * p.b + 32768) / 65536);
    q.cb = saturate(128 + (-11056 * p.r - 21712 * p.g + 32768 * p.b) / 65536);
    q.cr = saturate(128 + (32768 * p.r - 27440 * p.g - 5328 * p.b) / 65536);
    return q;
}

static void convert(const struct rgb *in, struct ycc *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = to_ycc(in[i]);
}

static void boost(struct ycc *pixels, const uint8_t *table, int n)
{
    for (int i = 0; i < n; i++) {
        pixels[i].cb = table[pixels[i].cb];
        pixels[i].cr = table[pixels[i].cr];
    }
}

static void convert_back(const struct ycc *in, struct rgb *out, int n)
{
    for (int i = 0; i < n; i++) {
        int y = in[i].y, cb = in[i].cb - 128, cr = in[i].cr - 128;
        out[i].r = saturate(y + 91881 * cr / 65536);
        out[i].g = saturate(y - (22554 * cb + 46802 * cr) / 65536);
        out[i].b = saturate(y + 116130 * cb / 65536);
    }
}

int main(int argc, char **argv)
{
    int n = 8000000;
    read_sizes(argc, argv, "PIXELS", 1, (int *[]){&n});

    struct rgb *in = allocate(n * sizeof(struct rgb));
    struct ycc *work = allocate(n * sizeof(struct ycc));
    struct rgb *out = allocate(n * sizeof(struct rgb));
    uint8_t table[256];
    for (int i = 0; i < n; i++) {
        in[i].r = (uint8_t)(i % 251);
        in[i].g = (uint8_t)(i / 7 % 256);
        in[i].b = (uint8_t)(i / 13 % 241);
    }
    for (int v = 0; v < 256; v++)
        table[v] = saturate(128 + (v - 128) * 5 / 4);

    double start = now();
    convert(in, work, n);
    boost(work, table, n);
    convert_back(work, out, n);
    double seconds = now() - start;

    report(seconds, checksum_byte(&work[0].y, 3 * (size_t)n) + checksum_byte(&out[0].r, 3 * (size_t)n));
    free(in);
    free(work);
    free(out);
    return 0;
}
