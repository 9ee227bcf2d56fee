/* cholesky: A = L L^T for a symmetric positive definite A, L written over the lower triangle.
 * Stresses triangular domains of three depths and a square root on the critical path. */
#include <math.h>

#include "common.h"

#ifndef N
#define N 900
#endif

static void init(int n, double A[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = i == j ? n + 1.0 : ((i + j) % 7) / 7.0;
}

static void kernel_cholesky(int n, double A[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
        for (int k = 0; k < i; k++)
            A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = sqrt(A[i][i]);
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*A)[n] = allocate(sizeof(double[n][n]));
    init(n, A);

    double start = now();
    kernel_cholesky(n, A);
    double seconds = now() - start;

    report(seconds, checksum_double(&A[0][0], (size_t)n * n));
    free(A);
    return 0;
}
