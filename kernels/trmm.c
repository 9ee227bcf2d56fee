/* trmm: triangular product in place, B = alpha A^T B, with A unit lower triangular.
 * Stresses loops that start at i + 1, and rows overwritten only after their last use. */
#include "common.h"

#ifndef M
#define M 600
#endif
#ifndef N
#define N 650
#endif

static void init(int m, int n, double A[m][m], double B[m][n])
{
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++)
            A[i][k] = k < i ? ((i + 2 * k) % 11 + 1) / 11.0 : i == k;
        for (int j = 0; j < n; j++)
            B[i][j] = ((8 * i + 3 * j) % 21 + 1) / 21.0;
    }
}

static void kernel_trmm(int m, int n, double alpha, double A[m][m], double B[m][n])
{
#pragma scop
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] = alpha * B[i][j];
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});

    double (*A)[m] = allocate(sizeof(double[m][m]));
    double (*B)[n] = allocate(sizeof(double[m][n]));
    init(m, n, A, B);

    double start = now();
    kernel_trmm(m, n, 1.5, A, B);
    double seconds = now() - start;

    report(seconds, checksum_double(&B[0][0], (size_t)m * n));
    free(A);
    free(B);
    return 0;
}
