/* gramschmidt: modified Gram-Schmidt, A = Q R with orthonormal columns in Q and R upper triangular.
 * A has N columns and N + EXTRA rows, so it never has fewer rows than columns.
 * Stresses column-wise walks through rows, and a scalar norm declared in the loop. */
#include <math.h>

#include "common.h"

#ifndef EXTRA
#define EXTRA 100
#endif
#ifndef N
#define N 400
#endif

static void init(int m, int n, double A[m][n], double R[n][n])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = ((3 * i + 7 * j) % 10) / 10.0 + (i == j ? 10.0 : 0.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            R[i][j] = 0.0;
}

static void kernel_gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n])
{
#pragma scop
    for (int k = 0; k < n; k++) {
        double norm = 0.0;
        for (int i = 0; i < m; i++)
            norm += A[i][k] * A[i][k];
        R[k][k] = sqrt(norm);
        for (int i = 0; i < m; i++)
            Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < n; j++) {
            R[k][j] = 0.0;
            for (int i = 0; i < m; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (int i = 0; i < m; i++)
                A[i][j] = A[i][j] - Q[i][k] * R[k][j];
        }
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int extra = EXTRA, n = N;
    read_sizes(argc, argv, "EXTRA N", 2, (int *[]){&extra, &n});

    int m = n + extra;
    double (*A)[n] = allocate(sizeof(double[m][n]));
    double (*R)[n] = allocate(sizeof(double[n][n]));
    double (*Q)[n] = allocate(sizeof(double[m][n]));
    init(m, n, A, R);

    double start = now();
    kernel_gramschmidt(m, n, A, R, Q);
    double seconds = now() - start;

    report(seconds, checksum_double(&R[0][0], (size_t)n * n) + checksum_double(&Q[0][0], (size_t)m * n));
    free(A);
    free(R);
    free(Q);
    return 0;
}
