/* variogram: empirical variogram of a series: the squared differences of all pairs of points, summed by
 * their distance j - i.
 * Wants j - i outermost, parallel: all that one sum needs is on one diagonal. With non-negative coefficients
 * no outermost loop is parallel, since each carries the sums. */
#include "common.h"

#ifndef N
#define N 27000
#endif

static void init(int n, double x[n])
{
    for (int i = 0; i < n; i++)
        x[i] = ((13 * i + i / 7) % 32) / 32.0;
}

static void kernel_variogram(int n, double x[n], double sum[n])
{
#pragma scop
    for (int d = 0; d < n; d++)
        sum[d] = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            sum[j - i] += (x[j] - x[i]) * (x[j] - x[i]);
    for (int d = 0; d < n; d++)
        sum[d] /= 2.0 * (n - d);
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double *x = allocate(sizeof(double[n]));
    double *sum = allocate(sizeof(double[n]));
    init(n, x);

    double start = now();
    kernel_variogram(n, x, sum);
    double seconds = now() - start;

    report(seconds, checksum_double(sum, n));
    free(x);
    free(sum);
    return 0;
}
