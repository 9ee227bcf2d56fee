/* heat-3d: explicit steps of the heat equation on a cube, seven points, alternating arrays.
 * Stresses four-dimensional time tiling of two statements. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 20
#endif
#ifndef N
#define N 120
#endif

static void init(int n, double A[n][n][n], double B[n][n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                A[i][j][k] = B[i][j][k] = ((2 * i + 3 * j + 5 * k) % 24 + 1) / 24.0;
}

static void kernel_heat_3d(int tsteps, int n, double A[n][n][n], double B[n][n][n])
{
#pragma scop
    for (int t = 1; t <= tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    B[i][j][k] = A[i][j][k]
                                 + 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k])
                                 + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k])
                                 + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    A[i][j][k] = B[i][j][k]
                                 + 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k])
                                 + 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k])
                                 + 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1]);
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    read_sizes(argc, argv, "TSTEPS N", 2, (int *[]){&tsteps, &n});

    double (*A)[n][n] = allocate(sizeof(double[n][n][n]));
    double (*B)[n][n] = allocate(sizeof(double[n][n][n]));
    init(n, A, B);

    double start = now();
    kernel_heat_3d(tsteps, n, A, B);
    double seconds = now() - start;

    size_t cells = (size_t)n * n * n;
    report(seconds, checksum_double(&A[0][0][0], cells) + 0.5 * checksum_double(&B[0][0][0], cells));
    free(A);
    free(B);
    return 0;
}
