/* multigrid: two-grid cycles for Poisson's equation: a damped Jacobi sweep on a fine grid of
 * 2 N + 1 points a side, restriction of the residual to N + 1 points, bilinear prolongation.
 * Stresses loops of step 2 beside loops of step 1 with subscripts such as 2 * i - 1. */
#include "common.h"

#ifndef CYCLES
#define CYCLES 80
#endif
#ifndef N
#define N 350
#endif

static void init(int n, double u[2 * n + 1][2 * n + 1], double v[2 * n + 1][2 * n + 1],
                 double f[2 * n + 1][2 * n + 1], double coarse[n + 1][n + 1])
{
    for (int i = 0; i < 2 * n + 1; i++)
        for (int j = 0; j < 2 * n + 1; j++) {
            u[i][j] = v[i][j] = ((5 * i + 2 * j) % 13 + 1) / 13.0;
            f[i][j] = ((i + 3 * j) % 8) / 80.0;
        }
    for (int i = 0; i < n + 1; i++)
        for (int j = 0; j < n + 1; j++)
            coarse[i][j] = 0.0;
}

static void kernel_multigrid(int cycles, int n, double u[2 * n + 1][2 * n + 1],
                             double v[2 * n + 1][2 * n + 1], double f[2 * n + 1][2 * n + 1],
                             double coarse[n + 1][n + 1])
{
    int c, i, j;

#pragma scop
    for (c = 0; c < cycles; c++) {
        for (i = 1; i < 2 * n; i++)
            for (j = 1; j < 2 * n; j++)
                v[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + f[i][j]);
        /* Restriction: the residual at the even points, which are corrected at once. */
        for (i = 1; i < n; i++)
            for (j = 1; j < n; j++) {
                coarse[i][j] = 0.25 * (v[2 * i - 1][2 * j] + v[2 * i + 1][2 * j] + v[2 * i][2 * j - 1]
                                       + v[2 * i][2 * j + 1] + f[2 * i][2 * j]) - v[2 * i][2 * j];
                u[2 * i][2 * j] = v[2 * i][2 * j] + 0.5 * coarse[i][j];
            }
        /* Prolongation: along the even rows, then into the odd rows. */
        for (i = 2; i < 2 * n; i += 2)
            for (j = 1; j < 2 * n; j += 2)
                u[i][j] = v[i][j] + 0.5 * (u[i][j - 1] - v[i][j - 1] + u[i][j + 1] - v[i][j + 1]);
        for (i = 1; i < 2 * n; i += 2)
            for (j = 1; j < 2 * n; j++)
                u[i][j] = v[i][j] + 0.5 * (u[i - 1][j] - v[i - 1][j] + u[i + 1][j] - v[i + 1][j]);
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int cycles = CYCLES, n = N;
    read_sizes(argc, argv, "CYCLES N", 2, (int *[]){&cycles, &n});

    int side = 2 * n + 1;
    double (*u)[side] = allocate(sizeof(double[side][side]));
    double (*v)[side] = allocate(sizeof(double[side][side]));
    double (*f)[side] = allocate(sizeof(double[side][side]));
    double (*coarse)[n + 1] = allocate(sizeof(double[n + 1][n + 1]));
    init(n, u, v, f, coarse);

    double start = now();
    kernel_multigrid(cycles, n, u, v, f, coarse);
    double seconds = now() - start;

    report(seconds, checksum_double(&u[0][0], (size_t)side * side));
    free(u);
    free(v);
    free(f);
    free(coarse);
    return 0;
}
