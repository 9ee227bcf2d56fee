/* correlation: matrix of Pearson correlations of M attributes over N points: the columns of the
 * data are centred and divided by sqrt(N) times their deviation, then corr = data^T data.
 * Stresses a pipeline of 1-D and 2-D nests before the product, a guard by data, a triangular domain. */
#include <math.h>

#include "common.h"

#ifndef M
#define M 500
#endif
#ifndef N
#define N 550
#endif

static void init(int m, int n, double data[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] = ((5 * i + 3 * j) % 37) / 37.0 + 4.0 * i / n; /* noise and a common trend */
}

static void kernel_correlation(int m, int n, double eps, double data[n][m], double corr[m][m],
                               double mean[m], double dev[m])
{
    int i, j, k;
    const double count = n;

#pragma scop
    for (j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= count;
    }
    for (j = 0; j < m; j++) {
        dev[j] = 0.0;
        for (i = 0; i < n; i++)
            dev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        dev[j] = sqrt(dev[j] / count);
        dev[j] = dev[j] <= eps ? 1.0 : dev[j];
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt(count) * dev[j];
        }
    for (i = 0; i < m - 1; i++) {
        corr[i][i] = 1.0;
        for (j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (k = 0; k < n; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
    corr[m - 1][m - 1] = 1.0;
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});

    double (*data)[m] = allocate(sizeof(double[n][m]));
    double (*corr)[m] = allocate(sizeof(double[m][m]));
    double *mean = allocate(sizeof(double[m]));
    double *dev = allocate(sizeof(double[m]));
    init(m, n, data);

    double start = now();
    kernel_correlation(m, n, 0.001, data, corr, mean, dev);
    double seconds = now() - start;

    report(seconds, checksum_double(&corr[0][0], (size_t)m * m));
    free(data);
    free(corr);
    free(mean);
    free(dev);
    return 0;
}
