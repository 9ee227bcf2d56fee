/* syr2k: symmetric rank-2k update of the lower triangle, C = alpha (A B^T + B A^T) + beta C.
 * Stresses a triangular band with four input rows; the arrays are global with fixed sizes. */
#include "common.h"

#ifndef M
#define M 500
#endif
#ifndef N
#define N 600
#endif

static double A[N][M];
static double B[N][M];
static double C[N][N];

static void init(int m, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            C[i][j] = ((2 * i + 2 * j) % 15) / 15.0;
        for (int k = 0; k < m; k++) {
            A[i][k] = ((i + 6 * k) % 17 + 1) / 17.0;
            B[i][k] = ((5 * i + k) % 19 + 1) / 19.0;
        }
    }
}

static void kernel_syr2k(int m, int n, double alpha, double beta)
{
    int i, j, k;

#pragma scop
    for (i = 0; i < n; ++i) {
        for (j = 0; j < i + 1; ++j)
            C[i][j] *= beta;
        for (k = 0; k < m; ++k)
            for (j = 0; j < i + 1; ++j)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});
    if (m > M || n > N)
        usage(argv[0], "M N, at most the compiled M and N");
    init(m, n);

    double start = now();
    kernel_syr2k(m, n, 1.5, 1.2);
    double seconds = now() - start;

    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (i % 7 + 1) * checksum_double(C[i], n);
    report(seconds, sum);
    return 0;
}
