/* jacobi-1d: three-point Jacobi relaxation on a line, alternating between two arrays.
 * Stresses time tiling in its smallest form; without it every step streams both arrays. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 1000
#endif
#ifndef N
#define N 60000
#endif

static void init(int n, double A[n], double B[n])
{
    for (int i = 0; i < n; i++) {
        A[i] = (i % 27 + 2) / 27.0;
        B[i] = (i % 31 + 3) / 31.0;
    }
}

static void kernel_jacobi_1d(int tsteps, int n, double A[n], double B[n])
{
#pragma scop
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0;
        for (int i = 1; i < n - 1; i++)
            A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3.0;
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    read_sizes(argc, argv, "TSTEPS N", 2, (int *[]){&tsteps, &n});

    double *A = allocate(sizeof(double[n]));
    double *B = allocate(sizeof(double[n]));
    init(n, A, B);

    double start = now();
    kernel_jacobi_1d(tsteps, n, A, B);
    double seconds = now() - start;

    report(seconds, checksum_double(A, n) + 0.5 * checksum_double(B, n));
    free(A);
    free(B);
    return 0;
}
