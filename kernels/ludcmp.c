/* ludcmp: solves A x = b by LU factorisation, then L y = b forwards and U x = y backwards.
 * Stresses a scalar accumulator shared by four nests, and a loop that runs downwards. */
#include "common.h"

#ifndef N
#define N 900
#endif

static void init(int n, double A[n][n], double b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = (i % 12 + 1) / 2.0;
        for (int j = 0; j < n; j++)
            A[i][j] = i == j ? 2.0 * n : ((4 * i + 9 * j) % 13 - 6) / 6.0;
    }
}

static void kernel_ludcmp(int n, double A[n][n], double b[n], double x[n], double y[n])
{
    int i, j, k;
    double w;

#pragma scop
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            w = A[i][j];
            for (k = 0; k < j; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w / A[j][j];
        }
        for (j = i; j < n; j++) {
            w = A[i][j];
            for (k = 0; k < i; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w;
        }
    }

    for (i = 0; i < n; i++) {
        w = b[i];
        for (j = 0; j < i; j++)
            w -= A[i][j] * y[j];
        y[i] = w;
    }

    for (i = n - 1; i >= 0; i--) {
        w = y[i];
        for (j = i + 1; j < n; j++)
            w -= A[i][j] * x[j];
        x[i] = w / A[i][i];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*A)[n] = allocate(sizeof(double[n][n]));
    double *b = allocate(sizeof(double[n]));
    double *x = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n]));
    init(n, A, b);

    double start = now();
    kernel_ludcmp(n, A, b, x, y);
    double seconds = now() - start;

    report(seconds, checksum_double(x, n) + checksum_double(&A[0][0], (size_t)n * n));
    free(A);
    free(b);
    free(x);
    free(y);
    return 0;
}
