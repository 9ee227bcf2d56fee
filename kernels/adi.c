/* adi: alternating-direction implicit steps of the heat equation: each half step solves one
 * tridiagonal system for each column (then each row) by elimination and back substitution.
 * Stresses opposite parallel directions in the two sweeps, and loops that run downwards. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 24
#endif
#ifndef N
#define N 600
#endif

static void init(int n, double u[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            u[i][j] = ((i + 5 * j) % 26 + 1) / 26.0;
}

/* With mesh ratio r: (1 + 2 r) x[j] - r x[j-1] - r x[j+1] = the explicit half step across;
 * p and q hold the elimination x[j] = p[j+1] x[j+1] + q[j+1]. The border is kept at one. */
static void kernel_adi(int tsteps, int n, double r, double u[n][n], double v[n][n],
                       double p[n][n], double q[n][n])
{
    int t, i, j;
    const double diagonal = 1.0 + 2.0 * r, rest = 1.0 - 2.0 * r;

#pragma scop
    for (t = 1; t <= tsteps; t++) {
        /* Columns: implicit along the first index, from u to v. */
        for (i = 1; i < n - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            for (j = 1; j < n - 1; j++) {
                p[i][j] = r / (diagonal - r * p[i][j - 1]);
                q[i][j] = (r * u[j][i - 1] + rest * u[j][i] + r * u[j][i + 1] + r * q[i][j - 1])
                          / (diagonal - r * p[i][j - 1]);
            }
            v[n - 1][i] = 1.0;
            for (j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
        /* Rows: implicit along the second index, from v to u. */
        for (i = 1; i < n - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            for (j = 1; j < n - 1; j++) {
                p[i][j] = r / (diagonal - r * p[i][j - 1]);
                q[i][j] = (r * v[i - 1][j] + rest * v[i][j] + r * v[i + 1][j] + r * q[i][j - 1])
                          / (diagonal - r * p[i][j - 1]);
            }
            u[i][n - 1] = 1.0;
            for (j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    read_sizes(argc, argv, "TSTEPS N", 2, (int *[]){&tsteps, &n});

    double (*u)[n] = allocate(sizeof(double[n][n]));
    double (*v)[n] = allocate(sizeof(double[n][n]));
    double (*p)[n] = allocate(sizeof(double[n][n]));
    double (*q)[n] = allocate(sizeof(double[n][n]));
    init(n, u);
    init(n, v);

    double start = now();
    kernel_adi(tsteps, n, 0.4, u, v, p, q);
    double seconds = now() - start;

    report(seconds, checksum_double(&u[0][0], (size_t)n * n));
    free(u);
    free(v);
    free(p);
    free(q);
    return 0;
}
