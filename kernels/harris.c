/* harris: Harris corner response, det(M) - 0.04 trace(M)^2, where M sums the products of the
 * image's Sobel gradients over a 3 x 3 window.
 * Stresses a pipeline of four stages with stencils between them, and scalars in the last one. */
#include "common.h"

#ifndef H
#define H 1800
#endif
#ifndef W
#define W 2000
#endif

static void init(int h, int w, double in[h][w], double out[h][w])
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            in[i][j] = ((i / 8 + j / 8) % 2 * 100 + (3 * i + 7 * j) % 29) / 129.0;
            out[i][j] = 0.0;
        }
}

static void kernel_harris(int h, int w, double in[h][w], double gx[h][w], double gy[h][w],
                          double xx[h][w], double xy[h][w], double yy[h][w], double out[h][w])
{
#pragma scop
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            gx[i][j] = (in[i - 1][j + 1] - in[i - 1][j - 1] + 2.0 * (in[i][j + 1] - in[i][j - 1])
                        + in[i + 1][j + 1] - in[i + 1][j - 1]) / 8.0;
            gy[i][j] = (in[i + 1][j - 1] - in[i - 1][j - 1] + 2.0 * (in[i + 1][j] - in[i - 1][j])
                        + in[i + 1][j + 1] - in[i - 1][j + 1]) / 8.0;
        }
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            xx[i][j] = gx[i][j] * gx[i][j];
            xy[i][j] = gx[i][j] * gy[i][j];
            yy[i][j] = gy[i][j] * gy[i][j];
        }
    for (int i = 2; i < h - 2; i++)
        for (int j = 2; j < w - 2; j++) {
            double sxx = xx[i - 1][j - 1] + xx[i - 1][j] + xx[i - 1][j + 1]
                         + xx[i][j - 1] + xx[i][j] + xx[i][j + 1]
                         + xx[i + 1][j - 1] + xx[i + 1][j] + xx[i + 1][j + 1];
            double sxy = xy[i - 1][j - 1] + xy[i - 1][j] + xy[i - 1][j + 1]
                         + xy[i][j - 1] + xy[i][j] + xy[i][j + 1]
                         + xy[i + 1][j - 1] + xy[i + 1][j] + xy[i + 1][j + 1];
            double syy = yy[i - 1][j - 1] + yy[i - 1][j] + yy[i - 1][j + 1]
                         + yy[i][j - 1] + yy[i][j] + yy[i][j + 1]
                         + yy[i + 1][j - 1] + yy[i + 1][j] + yy[i + 1][j + 1];
            double trace = sxx + syy;
            out[i][j] = sxx * syy - sxy * sxy - 0.04 * trace * trace;
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int h = H, w = W;
    read_sizes(argc, argv, "H W", 2, (int *[]){&h, &w});

    size_t cells = (size_t)h * w;
    double (*in)[w] = allocate(cells * sizeof(double));
    double (*out)[w] = allocate(cells * sizeof(double));
    double *work = allocate(5 * cells * sizeof(double));
    init(h, w, in, out);
    double (*gx)[w] = (double (*)[w])work;
    double (*gy)[w] = gx + h, (*xx)[w] = gy + h, (*xy)[w] = xx + h, (*yy)[w] = xy + h;

    double start = now();
    kernel_harris(h, w, in, gx, gy, xx, xy, yy, out);
    double seconds = now() - start;

    report(seconds, checksum_double(&out[0][0], cells));
    free(in);
    free(out);
    free(work);
    return 0;
}
