/* backsolve: solves U x = b with U upper triangular from the last unknown to the first; each unknown, once
 * known, is subtracted from all equations above it (column order).
 * Wants tiles of the triangle: the band (-j, -i), where j is the unknown and i the equation, is permutable;
 * j already descends, but i ascends and needs the coefficient -1 (the diagonal is at -j in both). */
#include "common.h"

#ifndef N
#define N 5200
#endif

static void init(int n, double U[n][n], double b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = ((11 * i) % 27 + 1) / 27.0;
        for (int j = 0; j < n; j++)
            U[i][j] = i == j ? 4.0 : i < j ? ((i + 3 * j) % 14 - 6) / (7.0 * n) : 0.0;
    }
}

static void kernel_backsolve(int n, double U[n][n], double b[n], double x[n])
{
#pragma scop
    for (int j = n - 1; j >= 0; j--) {
        x[j] = b[j] / U[j][j];
        for (int i = 0; i < j; i++)
            b[i] -= U[i][j] * x[j];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*U)[n] = allocate(sizeof(double[n][n]));
    double *b = allocate(sizeof(double[n]));
    double *x = allocate(sizeof(double[n]));
    init(n, U, b);

    double start = now();
    kernel_backsolve(n, U, b, x);
    double seconds = now() - start;

    report(seconds, checksum_double(x, n));
    free(U);
    free(b);
    free(x);
    return 0;
}
