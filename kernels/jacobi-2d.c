/* jacobi-2d: five-point Jacobi relaxation on a square, alternating between two arrays:
 * B[i][j] = mean of A at (i,j) and its four neighbours, then the same from B to A.
 * Stresses skewed (time) tiling with two statements that must be fused with a shift. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 100
#endif
#ifndef N
#define N 1000
#endif

static void init(int n, double A[n][n], double B[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] = ((11 * i + 5 * j) % 23 + 1) / 23.0;
            B[i][j] = ((3 * i + 13 * j) % 29 + 1) / 29.0;
        }
}

static void kernel_jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n])
{
#pragma scop
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i - 1][j] + B[i + 1][j]);
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    read_sizes(argc, argv, "TSTEPS N", 2, (int *[]){&tsteps, &n});

    double (*A)[n] = allocate(sizeof(double[n][n]));
    double (*B)[n] = allocate(sizeof(double[n][n]));
    init(n, A, B);

    double start = now();
    kernel_jacobi_2d(tsteps, n, A, B);
    double seconds = now() - start;

    size_t cells = (size_t)n * n;
    report(seconds, checksum_double(&A[0][0], cells) + 0.5 * checksum_double(&B[0][0], cells));
    free(A);
    free(B);
    return 0;
}
