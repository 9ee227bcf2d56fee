/* gray: colour image to gray levels with contrast stretching: each pixel is a weighted sum of its
 * three bytes, stretched around the middle and clamped to 0..255; dark pixels of each row are counted.
 * Stresses a loop of step 3 over flat global arrays, and if/else decided by data. */
#include "common.h"

#ifndef H
#define H 4000
#endif
#ifndef W
#define W 3600
#endif

static int rgb[H * W * 3];
static int level[H * W];
static int dark[H];

static void init(int h, int w)
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < 3 * w; j++)
            rgb[i * W * 3 + j] = (17 * i + 29 * j + i / 9 * (j % 3)) % 256;
}

static void kernel_gray(int h, int w)
{
    int i, j;

#pragma scop
    for (i = 0; i < h; i++) {
        /* Walks the bytes; a pixel starts at every third one. */
        dark[i] = 0;
        for (j = 0; j < 3 * w; j += 3) {
            int g = 77 * rgb[i * (W * 3) + j] + 150 * rgb[i * (W * 3) + j + 1]
                    + 29 * rgb[i * (W * 3) + j + 2];
            if (g < 20000)
                dark[i] += 1;
        }
        for (j = 0; j < w; j++) {
            int g = 77 * rgb[i * (W * 3) + 3 * j] + 150 * rgb[i * (W * 3) + 3 * j + 1]
                    + 29 * rgb[i * (W * 3) + 3 * j + 2];
            int s = 2 * g - 128 * 256;
            if (s < 0)
                level[i * W + j] = 0;
            else if (s > 255 * 256)
                level[i * W + j] = 255;
            else
                level[i * W + j] = s / 256;
        }
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int h = H, w = W;
    read_sizes(argc, argv, "H W", 2, (int *[]){&h, &w});
    if (h > H || w > W)
        usage(argv[0], "H W, each at most its compiled value");
    init(h, w);

    double start = now();
    kernel_gray(h, w);
    double seconds = now() - start;

    double sum = checksum_int(dark, h);
    for (int i = 0; i < h; i++)
        sum += (i % 7 + 1) * checksum_int(level + (size_t)i * W, w);
    report(seconds, sum);
    return 0;
}
