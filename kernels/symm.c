/* symm: C = alpha A B + beta C, with A symmetric and only its lower triangle stored.
 * Stresses a triangular reduction through a scalar, beside an update of earlier rows. */
#include "common.h"

#ifndef M
#define M 480
#endif
#ifndef N
#define N 500
#endif

static void init(int m, int n, double C[m][n], double A[m][m], double B[m][n])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C[i][j] = ((i + 4 * j) % 12) / 12.0;
            B[i][j] = ((5 * i + j) % 14 + 1) / 14.0;
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            A[i][j] = j <= i ? ((3 * i + 2 * j) % 13 + 1) / 13.0 : -999.0; /* must not be read */
}

static void kernel_symm(int m, int n, double alpha, double beta, double C[m][n],
                        double A[m][m], double B[m][n])
{
    double below;

#pragma scop
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            below = 0;
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                below += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * below;
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});

    double (*C)[n] = allocate(sizeof(double[m][n]));
    double (*A)[m] = allocate(sizeof(double[m][m]));
    double (*B)[n] = allocate(sizeof(double[m][n]));
    init(m, n, C, A, B);

    double start = now();
    kernel_symm(m, n, 1.5, 1.2, C, A, B);
    double seconds = now() - start;

    report(seconds, checksum_double(&C[0][0], (size_t)m * n));
    free(C);
    free(A);
    free(B);
    return 0;
}
