/* seidel-2d: Gauss-Seidel smoothing in place: each inner point becomes the mean of its 3 x 3
 * neighbourhood, half of it already updated in this sweep.
 * Stresses skewing: no loop is parallel, and only a skewed band can be tiled. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 20
#endif
#ifndef N
#define N 1000
#endif

static void init(int n, double A[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = ((7 * i + 4 * j) % 31 + 2) / 31.0;
}

static void kernel_seidel_2d(int tsteps, int n, double A[n][n])
{
    int t, i, j;

#pragma scop
    for (t = 0; t <= tsteps - 1; t++)
        for (i = 1; i <= n - 2; i++)
            for (j = 1; j <= n - 2; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                           + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    read_sizes(argc, argv, "TSTEPS N", 2, (int *[]){&tsteps, &n});

    double (*A)[n] = allocate(sizeof(double[n][n]));
    init(n, A);

    double start = now();
    kernel_seidel_2d(tsteps, n, A);
    double seconds = now() - start;

    report(seconds, checksum_double(&A[0][0], (size_t)n * n));
    free(A);
    return 0;
}
