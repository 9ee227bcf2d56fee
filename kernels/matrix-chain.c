/* matrix-chain: cheapest order to multiply N matrices, the i-th of size p[i] x p[i + 1]:
 * cost[i][j] = min over i <= k < j of cost[i][k] + cost[k + 1][j] + p[i] p[k + 1] p[j + 1].
 * Stresses intervals visited by length, so subscripts are sums of iterators (i + length). */
#include "common.h"

#ifndef N
#define N 900
#endif

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static void init(int n, double p[n + 1], double cost[n][n])
{
    for (int i = 0; i <= n; i++)
        p[i] = (i * 7L % 19) + 3;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            cost[i][j] = 0.0;
}

static void kernel_matrix_chain(int n, double p[n + 1], double cost[n][n])
{
#pragma scop
    for (int length = 1; length < n; length++)
        for (int i = 0; i < n - length; i++) {
            cost[i][i + length] = 1e15;
            for (int k = i; k < i + length; k++)
                cost[i][i + length] = MIN(cost[i][i + length],
                                          cost[i][k] + cost[k + 1][i + length]
                                              + p[i] * p[k + 1] * p[i + length + 1]);
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double *p = allocate(sizeof(double[n + 1]));
    double (*cost)[n] = allocate(sizeof(double[n][n]));
    init(n, p, cost);

    double start = now();
    kernel_matrix_chain(n, p, cost);
    double seconds = now() - start;

    report(seconds, checksum_double(&cost[0][0], (size_t)n * n));
    free(p);
    free(cost);
    return 0;
}
