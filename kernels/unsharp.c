/* unsharp: unsharp mask on a three-channel image: blur along x, blur along y, sharpen by the
 * difference, and keep the original pixel where the difference is below a threshold.
 * Stresses producer-consumer fusion of stencil stages, a select by data, float data. */
#include "common.h"

#ifndef H
#define H 1500
#endif
#ifndef W
#define W 1600
#endif

#define CHANNELS 3

/* The stages lose a border of two pixels on each side: `in` is larger than `out`. */
static void init(int h, int w, float in[CHANNELS][h + 4][w + 4])
{
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < h + 4; i++)
            for (int j = 0; j < w + 4; j++)
                in[c][i][j] = (float)((19 * c + 7 * i + 11 * j) % 251) / 250.0f;
}

static void kernel_unsharp(int h, int w, float amount, float threshold,
                           float in[CHANNELS][h + 4][w + 4], float bx[CHANNELS][h + 4][w],
                           float by[CHANNELS][h][w], float sharp[CHANNELS][h][w],
                           float out[CHANNELS][h][w])
{
#pragma scop
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < h + 4; i++)
            for (int j = 0; j < w; j++)
                bx[c][i][j] = 0.0625f * in[c][i][j] + 0.25f * in[c][i][j + 1] + 0.375f * in[c][i][j + 2]
                              + 0.25f * in[c][i][j + 3] + 0.0625f * in[c][i][j + 4];
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                by[c][i][j] = 0.0625f * bx[c][i][j] + 0.25f * bx[c][i + 1][j] + 0.375f * bx[c][i + 2][j]
                              + 0.25f * bx[c][i + 3][j] + 0.0625f * bx[c][i + 4][j];
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                sharp[c][i][j] = (1.0f + amount) * in[c][i + 2][j + 2] - amount * by[c][i][j];
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                float d = in[c][i + 2][j + 2] - by[c][i][j];
                out[c][i][j] = d < threshold && -d < threshold ? in[c][i + 2][j + 2] : sharp[c][i][j];
            }
#pragma endscop
}

int main(int argc, char **argv)
{
    int h = H, w = W;
    read_sizes(argc, argv, "H W", 2, (int *[]){&h, &w});

    float (*in)[h + 4][w + 4] = allocate(sizeof(float[CHANNELS][h + 4][w + 4]));
    float (*bx)[h + 4][w] = allocate(sizeof(float[CHANNELS][h + 4][w]));
    float (*by)[h][w] = allocate(sizeof(float[CHANNELS][h][w]));
    float (*sharp)[h][w] = allocate(sizeof(float[CHANNELS][h][w]));
    float (*out)[h][w] = allocate(sizeof(float[CHANNELS][h][w]));
    init(h, w, in);

    double start = now();
    kernel_unsharp(h, w, 1.5f, 0.0104f, in, bx, by, sharp, out);
    double seconds = now() - start;

    report(seconds, checksum_float(&out[0][0][0], (size_t)CHANNELS * h * w));
    free(in);
    free(bx);
    free(by);
    free(sharp);
    free(out);
    return 0;
}
