/* syrk: symmetric rank-k update of the lower triangle, C = alpha A A^T + beta C.
 * Stresses a triangular band, and one array read through two rows at once. */
#include "common.h"

#ifndef M
#define M 700
#endif
#ifndef N
#define N 800
#endif

static void init(int m, int n, double C[n][n], double A[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            C[i][j] = ((i + j) % 16) / 16.0;
        for (int k = 0; k < m; k++)
            A[i][k] = ((7 * i + 3 * k) % 18 + 1) / 18.0;
    }
}

static void kernel_syrk(int m, int n, double alpha, double beta, double C[n][n], double A[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += alpha * A[i][k] * A[j][k];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});

    double (*C)[n] = allocate(sizeof(double[n][n]));
    double (*A)[m] = allocate(sizeof(double[n][m]));
    init(m, n, C, A);

    double start = now();
    kernel_syrk(m, n, 1.5, 1.2, C, A);
    double seconds = now() - start;

    report(seconds, checksum_double(&C[0][0], (size_t)n * n));
    free(C);
    free(A);
    return 0;
}
