/* banded-mv: y = A x, repeated as in a power iteration, for a matrix of half bandwidth W stored
 * by diagonals: band[i][j - i + W] holds A[i][j].
 * Stresses bounds that are a maximum and a minimum, and a subscript that mixes j, i and W. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 25
#endif
#ifndef N
#define N 100000
#endif
#ifndef W
#define W 40
#endif

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static void init(int n, int w, double band[n][2 * w + 1], double x[n])
{
    for (int i = 0; i < n; i++) {
        x[i] = (i % 14 + 1) / 14.0;
        for (int d = 0; d < 2 * w + 1; d++)
            band[i][d] = ((i % 1000 * 3 + 5 * d) % 16 + 1) / (9.0 * (2 * w + 1));
    }
}

static void kernel_banded_mv(int tsteps, int n, int w, double band[n][2 * w + 1], double x[n], double y[n])
{
#pragma scop
    for (int t = 0; t < tsteps; t++) {
        for (int i = 0; i < n; i++) {
            y[i] = 0.0;
            for (int j = MAX(0, i - w); j <= MIN(n - 1, i + w); j++)
                y[i] += band[i][j - i + w] * x[j];
        }
        for (int i = 0; i < n; i++)
            x[i] = y[i];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N, w = W;
    read_sizes(argc, argv, "TSTEPS N W", 3, (int *[]){&tsteps, &n, &w});

    double (*band)[2 * w + 1] = allocate(sizeof(double[n][2 * w + 1]));
    double *x = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n]));
    init(n, w, band, x);

    double start = now();
    kernel_banded_mv(tsteps, n, w, band, x, y);
    double seconds = now() - start;

    report(seconds, checksum_double(x, n));
    free(band);
    free(x);
    free(y);
    return 0;
}
