/* udu: factors a symmetric positive definite matrix as P = U D U^T, U unit upper triangular and D diagonal,
 * from the last column to the first, as Kalman filters do; U replaces the upper triangle of P.
 * Wants tiles in three dimensions: the band (-j, -k, -i) is permutable. j already descends; i and k ascend
 * below it and need the coefficient -1, without which j stays outside of all tiles. */
#include "common.h"

#ifndef N
#define N 1000
#endif

static void init(int n, double P[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            P[i][j] = i == j ? n : ((i + j) % 9 + (i * j) % 4) / 12.0;
}

static void kernel_udu(int n, double P[n][n], double d[n])
{
#pragma scop
    for (int j = n - 1; j >= 0; j--) {
        d[j] = P[j][j];
        for (int i = 0; i < j; i++)
            P[i][j] /= d[j];
        for (int k = 0; k < j; k++)
            for (int i = 0; i <= k; i++)
                P[i][k] -= P[i][j] * P[k][j] * d[j];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*P)[n] = allocate(sizeof(double[n][n]));
    double *d = allocate(sizeof(double[n]));
    init(n, P);

    double start = now();
    kernel_udu(n, P, d);
    double seconds = now() - start;

    report(seconds, checksum_double(&P[0][0], (size_t)n * n) + 0.5 * checksum_double(d, n));
    free(P);
    free(d);
    return 0;
}
