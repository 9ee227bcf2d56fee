/* conv-nhwc: convolution of images with channels last, out[b][y][x][o] = sum of in[b][y + p][x + q][c] w[p][q][c][o].
 * Stresses seven-deep nests, overlapping rows of an operand, contiguous output channels. */
#include "common.h"

#ifndef B
#define B 4
#endif
#ifndef H
#define H 56
#endif
#ifndef W
#define W 56
#endif
#ifndef C
#define C 64
#endif
#ifndef O
#define O 128
#endif
#ifndef K
#define K 3
#endif

/* Images are (h + k - 1) x (w + k - 1), so any K goes with any H and W. */
static void init(int b, int h, int w, int c, int o, int k, double in[b][h + k - 1][w + k - 1][c],
                 double filter[k][k][c][o])
{
    for (int i = 0; i < b; i++)
        for (int y = 0; y < h + k - 1; y++)
            for (int x = 0; x < w + k - 1; x++)
                for (int r = 0; r < c; r++)
                    in[i][y][x][r] = ((11 * i + 13 * y + 7 * x + 3 * r) % 64) / 64.0;
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++)
            for (int r = 0; r < c; r++)
                for (int s = 0; s < o; s++)
                    filter[p][q][r][s] = ((3 * p + 5 * q + 7 * r + 2 * s) % 8 + 1) / 8.0 / k;
}

static void kernel_conv_nhwc(int b, int h, int w, int c, int o, int k, double out[b][h][w][o],
                             double in[b][h + k - 1][w + k - 1][c], double filter[k][k][c][o])
{
#pragma scop
    for (int i = 0; i < b; i++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                for (int s = 0; s < o; s++) {
                    out[i][y][x][s] = 0.0;
                    for (int p = 0; p < k; p++)
                        for (int q = 0; q < k; q++)
                            for (int r = 0; r < c; r++)
                                out[i][y][x][s] += in[i][y + p][x + q][r] * filter[p][q][r][s];
                }
#pragma endscop
}

int main(int argc, char **argv)
{
    int b = B, h = H, w = W, c = C, o = O, k = K;
    read_sizes(argc, argv, "B H W C O K", 6, (int *[]){&b, &h, &w, &c, &o, &k});

    double (*in)[h + k - 1][w + k - 1][c] = allocate(sizeof(double[b][h + k - 1][w + k - 1][c]));
    double (*out)[h][w][o] = allocate(sizeof(double[b][h][w][o]));
    double (*filter)[k][c][o] = allocate(sizeof(double[k][k][c][o]));
    init(b, h, w, c, o, k, in, filter);

    double start = now();
    kernel_conv_nhwc(b, h, w, c, o, k, out, in, filter);
    double seconds = now() - start;

    report(seconds, checksum_double(&out[0][0][0][0], (size_t)b * h * w * o));
    free(in);
    free(out);
    free(filter);
    return 0;
}
