/* linear-matmul: C = A B with all three matrices as flat arrays, element (i, j) at i * n + j.
 * Stresses delinearisation: the products i * n are affine only once the shape is recovered. */
#include "common.h"

#ifndef M
#define M 500
#endif
#ifndef N
#define N 520
#endif
#ifndef K
#define K 540
#endif

static void init(int count, int step, int modulus, double *v)
{
    for (int p = 0; p < count; p++)
        v[p] = ((long)p * step % modulus + 1) / (double)modulus;
}

static void kernel_linear_matmul(int m, int n, int k, double C[m * n], double A[m * k], double B[k * n])
{
#pragma scop
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C[i * n + j] = 0.0;
            for (int p = 0; p < k; p++)
                C[i * n + j] += A[i * k + p] * B[p * n + j];
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N, k = K;
    read_sizes(argc, argv, "M N K", 3, (int *[]){&m, &n, &k});

    double *C = allocate(sizeof(double) * m * n);
    double *A = allocate(sizeof(double) * m * k);
    double *B = allocate(sizeof(double) * k * n);
    init(m * k, 5, 23, A);
    init(k * n, 7, 29, B);

    double start = now();
    kernel_linear_matmul(m, n, k, C, A, B);
    double seconds = now() - start;

    report(seconds, checksum_double(C, (size_t)m * n));
    free(C);
    free(A);
    free(B);
    return 0;
}
