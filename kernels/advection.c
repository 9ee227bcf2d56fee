/* advection: upwind transport of a concentration with a given velocity, borders and all in one
 * nest: the border is held, a source feeds a square, and the wind's sign picks the neighbour.
 * Stresses affine guards (&&, ||, if/else chains) around a condition on data. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 60
#endif
#ifndef N
#define N 900
#endif

static void init(int n, double c[n][n], double d[n][n], double wind[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] = ((2 * i + 3 * j) % 18) / 18.0;
            d[i][j] = 0.0;
            wind[i][j] = ((i + j) % 15 - 7) / 20.0;
        }
}

static void kernel_advection(int tsteps, int n, double c[n][n], double d[n][n], double wind[n][n])
{
    int t, i, j;

#pragma scop
    for (t = 0; t < tsteps; t++) {
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                if (i == 0 || i == n - 1 || j == 0 || j == n - 1) {
                    d[i][j] = c[i][j];
                } else {
                    if (wind[i][j] > 0.0)
                        d[i][j] = c[i][j] - wind[i][j] * (c[i][j] - c[i - 1][j]);
                    else
                        d[i][j] = c[i][j] - wind[i][j] * (c[i + 1][j] - c[i][j]);
                    if (i < 16 && j >= 2 && i + j <= 24)
                        d[i][j] += 0.01;
                }
            }
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                c[i][j] = d[i][j];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    read_sizes(argc, argv, "TSTEPS N", 2, (int *[]){&tsteps, &n});

    double (*c)[n] = allocate(sizeof(double[n][n]));
    double (*d)[n] = allocate(sizeof(double[n][n]));
    double (*wind)[n] = allocate(sizeof(double[n][n]));
    init(n, c, d, wind);

    double start = now();
    kernel_advection(tsteps, n, c, d, wind);
    double seconds = now() - start;

    report(seconds, checksum_double(&c[0][0], (size_t)n * n));
    free(c);
    free(d);
    free(wind);
    return 0;
}
