/* gemm-blas: C = alpha op(A) op(B) + beta C as in the BLAS: column major, leading dimensions,
 * transposition chosen by a letter; called for two of the four cases, on parts of larger matrices.
 * Stresses tests of alpha and beta around loops, subscripts i + j * ldc, early returns, a loop that
 * skips zero factors. */
// sizes: 130 120 140 | 400 380 420 | 580 560 600
#include "common.h"

static void gemm(char transa, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc)
{
    if (m == 0 || n == 0)
        return;
    if (alpha == 0.0) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                c[i + j * ldc] = beta == 0.0 ? 0.0 : beta * c[i + j * ldc];
        return;
    }

    if (transa == 'N') {
        for (int j = 0; j < n; j++) {
            if (beta == 0.0) {
                for (int i = 0; i < m; i++)
                    c[i + j * ldc] = 0.0;
            } else if (beta != 1.0) {
                for (int i = 0; i < m; i++)
                    c[i + j * ldc] = beta * c[i + j * ldc];
            }
            for (int l = 0; l < k; l++) {
                if (b[l + j * ldb] != 0.0) {
                    double temp = alpha * b[l + j * ldb];
                    for (int i = 0; i < m; i++)
                        c[i + j * ldc] += temp * a[i + l * lda];
                }
            }
        }
    } else {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < m; i++) {
                double temp = 0.0;
                for (int l = 0; l < k; l++)
                    temp += a[l + i * lda] * b[l + j * ldb];
                if (beta == 0.0)
                    c[i + j * ldc] = alpha * temp;
                else
                    c[i + j * ldc] = alpha * temp + beta * c[i + j * ldc];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int m = 400, n = 380, k = 420;
    read_sizes(argc, argv, "M N K", 3, (int *[]){&m, &n, &k});

    int lda = (m > k ? m : k) + 8, ldb = k + 3, ldc = m + 5;
    size_t size_a = (size_t)lda * (m > k ? m : k);
    size_t size_b = (size_t)ldb * n, size_c = (size_t)ldc * n;
    double *a = allocate(size_a * sizeof(double));
    double *b = allocate(size_b * sizeof(double));
    double *c = allocate(size_c * sizeof(double));
    for (size_t p = 0; p < size_a; p++)
        a[p] = (double)(p * 29 % 113) / 113.0 - 0.5;
    for (size_t p = 0; p < size_b; p++)
        b[p] = (double)(p * 43 % 97) / 97.0 - 0.25;
    for (size_t p = 0; p < size_c; p++)
        c[p] = (double)(p * 11 % 61) / 61.0;

    double start = now();
    gemm('N', m, n, k, 1.5, a, lda, b, ldb, 0.5, c, ldc);
    gemm('T', m, n, k, -0.25, a, lda, b, ldb, 1.0, c, ldc);
    double seconds = now() - start;

    report(seconds, checksum_double(c, size_c));
    free(a);
    free(b);
    free(c);
    return 0;
}
