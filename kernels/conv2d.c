/* conv2d: 2-D convolution of an image with a K x K filter, out[i][j] = sum of w[p][q] in[i + p][j + q],
 * over the positions where the filter fits.
 * Stresses a four-deep band with short inner loops and overlapping reads through i + p and j + q. */
#include "common.h"

#ifndef H
#define H 2000
#endif
#ifndef W
#define W 2000
#endif
#ifndef K
#define K 7
#endif

/* `in` is (h + k - 1) x (w + k - 1), so any K goes with any H and W. */
static void init(int h, int w, int k, double in[h + k - 1][w + k - 1], double filter[k][k])
{
    for (int i = 0; i < h + k - 1; i++)
        for (int j = 0; j < w + k - 1; j++)
            in[i][j] = ((13 * i + 7 * j) % 64) / 64.0;
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++)
            filter[p][q] = ((3 * p + 5 * q) % 8 + 1) / 8.0 / k;
}

static void kernel_conv2d(int h, int w, int k, double out[h][w], double in[h + k - 1][w + k - 1],
                          double filter[k][k])
{
#pragma scop
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            double sum = 0.0;
            for (int p = 0; p < k; p++)
                for (int q = 0; q < k; q++)
                    sum += filter[p][q] * in[i + p][j + q];
            out[i][j] = sum;
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int h = H, w = W, k = K;
    read_sizes(argc, argv, "H W K", 3, (int *[]){&h, &w, &k});

    double (*in)[w + k - 1] = allocate(sizeof(double[h + k - 1][w + k - 1]));
    double (*out)[w] = allocate(sizeof(double[h][w]));
    double (*filter)[k] = allocate(sizeof(double[k][k]));
    init(h, w, k, in, filter);

    double start = now();
    kernel_conv2d(h, w, k, out, in, filter);
    double seconds = now() - start;

    report(seconds, checksum_double(&out[0][0], (size_t)h * w));
    free(in);
    free(out);
    free(filter);
    return 0;
}
