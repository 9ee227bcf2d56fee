/* lu: factorisation A = L U in place, without pivoting (L has a unit diagonal).
 * Stresses triangular iteration domains and dependences between two statements of one nest. */
#include "common.h"

#ifndef N
#define N 900
#endif

/* Diagonally dominant, so that no pivot comes near zero. */
static void init(int n, double A[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = i == j ? 2.0 * n : ((5 * i + 7 * j) % 11 - 5) / 5.0;
}

static void kernel_lu(int n, double A[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                A[i][j] -= A[i][k] * A[k][j];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*A)[n] = allocate(sizeof(double[n][n]));
    init(n, A);

    double start = now();
    kernel_lu(n, A);
    double seconds = now() - start;

    report(seconds, checksum_double(&A[0][0], (size_t)n * n));
    free(A);
    return 0;
}
