/* trisolv: forward substitution, x[i] = (b[i] - sum over j < i of L[i][j] x[j]) / L[i][i].
 * Stresses a triangular recurrence with little arithmetic for each element read. */
#include "common.h"

#ifndef N
#define N 8000
#endif

static void init(int n, double L[n][n], double b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = (i % 17 + 1) / 17.0;
        for (int j = 0; j < n; j++)
            L[i][j] = i == j ? 2.0 : ((i + 5 * j) % 8 - 3) / (4.0 * n);
    }
}

static void kernel_trisolv(int n, double L[n][n], double x[n], double b[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*L)[n] = allocate(sizeof(double[n][n]));
    double *x = allocate(sizeof(double[n]));
    double *b = allocate(sizeof(double[n]));
    init(n, L, b);

    double start = now();
    kernel_trisolv(n, L, x, b);
    double seconds = now() - start;

    report(seconds, checksum_double(x, n));
    free(L);
    free(x);
    free(b);
    return 0;
}
