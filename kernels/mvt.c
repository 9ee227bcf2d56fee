/* mvt: x1 += A y1 and x2 += A^T y2, written as two separate nests.
 * Stresses fusion with one nest permuted, so that both read A in the same order. */
#include "common.h"

#ifndef N
#define N 5000
#endif

static void init(int n, double A[n][n], double x1[n], double x2[n], double y1[n], double y2[n])
{
    for (int i = 0; i < n; i++) {
        x1[i] = (i % 9) / 9.0;
        x2[i] = (i % 7 + 1) / 7.0;
        y1[i] = (i % 5 + 3) / 5.0;
        y2[i] = (i % 8 + 4) / 8.0;
        for (int j = 0; j < n; j++)
            A[i][j] = ((3 * i + 8 * j) % 15 - 6) / 15.0;
    }
}

static void kernel_mvt(int n, double x1[n], double x2[n], double y1[n], double y2[n], double A[n][n])
{
    int i, j;

#pragma scop
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            x1[i] = x1[i] + A[i][j] * y1[j];
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            x2[i] = x2[i] + A[j][i] * y2[j];
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*A)[n] = allocate(sizeof(double[n][n]));
    double *x1 = allocate(sizeof(double[n]));
    double *x2 = allocate(sizeof(double[n]));
    double *y1 = allocate(sizeof(double[n]));
    double *y2 = allocate(sizeof(double[n]));
    init(n, A, x1, x2, y1, y2);

    double start = now();
    kernel_mvt(n, x1, x2, y1, y2, A);
    double seconds = now() - start;

    report(seconds, checksum_double(x1, n) + 0.5 * checksum_double(x2, n));
    free(A);
    free(x1);
    free(x2);
    free(y1);
    free(y2);
    return 0;
}
