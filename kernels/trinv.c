/* trinv: inverse X of a lower triangular matrix L by columns: X[j][j] = 1 / L[j][j], and below it
 * X[i][j] = -(sum over j <= k < i of L[i][k] X[k][j]) / L[i][i].
 * Stresses a triangular prism, bounds by two outer iterators, `!=` as a loop test. */
#include "common.h"

#ifndef N
#define N 1100
#endif

static void init(int n, double L[n][n], double X[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            L[i][j] = i == j ? 2.0 : j < i ? ((2 * i + 3 * j) % 7 - 3) / (3.0 * n) : 0.0;
            X[i][j] = 0.0;
        }
}

static void kernel_trinv(int n, double L[n][n], double X[n][n])
{
#pragma scop
    for (int j = 0; j != n; j++) {
        X[j][j] = 1.0 / L[j][j];
        for (int i = j + 1; i < n; i++) {
            double sum = 0.0;
            for (int k = j; k != i; k++)
                sum += L[i][k] * X[k][j];
            X[i][j] = -sum / L[i][i];
        }
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*L)[n] = allocate(sizeof(double[n][n]));
    double (*X)[n] = allocate(sizeof(double[n][n]));
    init(n, L, X);

    double start = now();
    kernel_trinv(n, L, X);
    double seconds = now() - start;

    report(seconds, checksum_double(&X[0][0], (size_t)n * n));
    free(L);
    free(X);
    return 0;
}
