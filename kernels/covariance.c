/* covariance: sample covariance of M attributes over N points (N of at least 2),
 * cov[i][j] = sum over k of (data[k][i] - mean[i]) (data[k][j] - mean[j]) / (N - 1).
 * Stresses a reduction in a triangular domain whose result is copied to the mirrored cell. */
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
            data[i][j] = ((4 * i + 7 * j) % 33) / 33.0 + 4.0 * i / n; /* noise and a common trend */
}

static void kernel_covariance(int m, int n, double data[n][m], double cov[m][m], double mean[m])
{
    const double count = n;

#pragma scop
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= count;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= count - 1.0;
            cov[j][i] = cov[i][j];
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});
    if (n < 2)
        usage(argv[0], "M N, with N of at least 2");

    double (*data)[m] = allocate(sizeof(double[n][m]));
    double (*cov)[m] = allocate(sizeof(double[m][m]));
    double *mean = allocate(sizeof(double[m]));
    init(m, n, data);

    double start = now();
    kernel_covariance(m, n, data, cov, mean);
    double seconds = now() - start;

    report(seconds, checksum_double(&cov[0][0], (size_t)m * m));
    free(data);
    free(cov);
    free(mean);
    return 0;
}
