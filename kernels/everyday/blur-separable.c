/* blur-separable: a Gaussian blur as two passes of five taps, first along rows, then along
 * columns; the first and last two pixels of a line are copied.
 * Stresses row pointers (`const float *up = tmp + (y - 1) * w`), a work image between two
 * functions, borders beside the loops. */
// sizes: 8 560 560 | 30 1400 1800 | 30 2400 3150
#include "common.h"

typedef struct {
    int w, h;
    float *pixels;
} image;

static void blur_rows(const image *in, image *out)
{
    for (int y = 0; y < in->h; y++) {
        const float *src = in->pixels + y * in->w;
        float *dst = out->pixels + y * in->w;
        dst[0] = src[0];
        dst[1] = src[1];
        for (int x = 2; x < in->w - 2; x++)
            dst[x] = (src[x - 2] + 4 * src[x - 1] + 6 * src[x] + 4 * src[x + 1] + src[x + 2]) / 16;
        dst[in->w - 2] = src[in->w - 2];
        dst[in->w - 1] = src[in->w - 1];
    }
}

static void blur_columns(const image *in, image *out)
{
    const int w = in->w;
    for (int y = 0; y < in->h; y++) {
        const float *row = in->pixels + y * w;
        float *dst = out->pixels + y * w;
        if (y < 2 || y >= in->h - 2) {
            for (int x = 0; x < w; x++)
                dst[x] = row[x];
            continue;
        }
        const float *up2 = in->pixels + (y - 2) * w;
        const float *up = in->pixels + (y - 1) * w;
        const float *down = in->pixels + (y + 1) * w;
        const float *down2 = in->pixels + (y + 2) * w;
        for (int x = 0; x < w; x++)
            dst[x] = (up2[x] + 4 * up[x] + 6 * row[x] + 4 * down[x] + down2[x]) / 16;
    }
}

int main(int argc, char **argv)
{
    int rounds = 30, h = 1400, w = 1800;
    read_sizes(argc, argv, "ROUNDS HEIGHT WIDTH", 3, (int *[]){&rounds, &h, &w});
    if (w < 4)
        usage(argv[0], "ROUNDS HEIGHT WIDTH, with WIDTH >= 4");

    size_t count = (size_t)h * w;
    image picture = {w, h, allocate(count * sizeof(float))};
    image work = {w, h, allocate(count * sizeof(float))};
    for (size_t p = 0; p < count; p++)
        picture.pixels[p] = (float)((p * 41 + p / 23) % 256) / 255.0f;

    double start = now();
    for (int r = 0; r < rounds; r++) {
        blur_rows(&picture, &work);
        blur_columns(&work, &picture);
    }
    double seconds = now() - start;

    report(seconds, checksum_float(picture.pixels, count) + checksum_float(work.pixels, count));
    free(picture.pixels);
    free(work.pixels);
    return 0;
}
