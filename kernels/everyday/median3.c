/* median3: a 3 x 3 median filter by nineteen compare-exchanges in a local array of nine values;
 * border pixels are copied.
 * Stresses a small local array, a macro with a block of its own (`do { ... } while (0)`), three row
 * pointers, unsigned bounds. */
// sizes: 16 500 600 | 120 1000 1200 | 360 1000 1200
#include <stdint.h>
#include <string.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

#define SORT2(a, b)          \
    do {                     \
        if (p[a] > p[b]) {   \
            uint8_t t = p[a]; \
            p[a] = p[b];     \
            p[b] = t;        \
        }                    \
    } while (0)

static void median3(const uint8_t *in, uint8_t *out, unsigned h, unsigned w)
{
    memcpy(out, in, w);
    memcpy(out + (size_t)(h - 1) * w, in + (size_t)(h - 1) * w, w);
    for (unsigned y = 1; y < h - 1; y++) {
        const uint8_t *up = in + (y - 1) * w;
        const uint8_t *row = in + y * w;
        const uint8_t *down = in + (y + 1) * w;
        uint8_t *dst = out + y * w;
        dst[0] = row[0];
        dst[w - 1] = row[w - 1];
        for (unsigned x = 1; x < w - 1; x++) {
            uint8_t p[9];
            for (unsigned i = 0; i < 3; i++) {
                p[i] = up[x - 1 + i];
                p[3 + i] = row[x - 1 + i];
                p[6 + i] = down[x - 1 + i];
            }
            SORT2(1, 2);
            SORT2(4, 5);
            SORT2(7, 8);
            SORT2(0, 1);
            SORT2(3, 4);
            SORT2(6, 7);
            SORT2(1, 2);
            SORT2(4, 5);
            SORT2(7, 8);
            SORT2(0, 3);
            SORT2(5, 8);
            SORT2(4, 7);
            SORT2(3, 6);
            SORT2(1, 4);
            SORT2(2, 5);
            SORT2(4, 7);
            SORT2(4, 2);
            SORT2(6, 4);
            SORT2(4, 2);
            dst[x] = p[4];
        }
    }
}

int main(int argc, char **argv)
{
    int rounds = 120, h = 1000, w = 1200;
    read_sizes(argc, argv, "ROUNDS HEIGHT WIDTH", 3, (int *[]){&rounds, &h, &w});

    size_t count = (size_t)h * w;
    uint8_t *image = allocate(count);
    uint8_t *other = allocate(count);
    for (size_t p = 0; p < count; p++)
        image[p] = (uint8_t)((p * 2654435761u >> 6) % 256);

    double start = now();
    for (int r = 0; r < rounds; r++) {
        median3(image, other, h, w);
        uint8_t *t = image;
        image = other;
        other = t;
    }
    double seconds = now() - start;

    report(seconds, checksum_byte(image, count) + checksum_byte(other, count));
    free(image);
    free(other);
    return 0;
}
