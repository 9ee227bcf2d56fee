/* atax: y = A^T (A x), with t = A x.
 * Stresses fusing a row-wise reduction with a column-wise one, so that A is read once. */
#include "common.h"

#ifndef M
#define M 7000
#endif
#ifndef N
#define N 7200
#endif

static void init(int m, int n, double A[m][n], double x[n])
{
    for (int j = 0; j < n; j++)
        x[j] = 1.0 + (j % 10) / 10.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = ((i + 3 * j) % 14 - 5) / 14.0;
}

static void kernel_atax(int m, int n, double A[m][n], double x[n], double y[n], double t[m])
{
#pragma scop
    for (int j = 0; j < n; j++)
        y[j] = 0;
    for (int i = 0; i < m; i++) {
        t[i] = 0;
        for (int j = 0; j < n; j++)
            t[i] = t[i] + A[i][j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] = y[j] + A[i][j] * t[i];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});

    double (*A)[n] = allocate(sizeof(double[m][n]));
    double *x = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n]));
    double *t = allocate(sizeof(double[m]));
    init(m, n, A, x);

    double start = now();
    kernel_atax(m, n, A, x, y, t);
    double seconds = now() - start;

    report(seconds, checksum_double(y, n));
    free(A);
    free(x);
    free(y);
    free(t);
    return 0;
}
