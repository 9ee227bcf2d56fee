/* sliding-dot: inner products of every window of one series with every window of another, each from its
 * neighbour on the diagonal by one product more and one less; the core of matrix profiles.
 * The only dependence is (1, 1). Wants i - j outermost, parallel without any synchronisation, then i; with
 * non-negative coefficients the outermost loop carries the dependence, and threads meet again and again. */
#include "common.h"

#ifndef N
#define N 2600
#endif
#ifndef M
#define M 64
#endif

/* Row 0 and column 0 hold the inner products of the first windows, which are given. */
static void init(int n, int m, double x[n + m], double y[n + m], double dot[n][n])
{
    for (int i = 0; i < n + m; i++) {
        x[i] = ((7 * i + i / 5) % 16 - 8) / 8.0;
        y[i] = ((5 * i + i / 3) % 16 - 8) / 8.0;
    }
    for (int i = 0; i < n; i++) {
        dot[i][0] = dot[0][i] = 0.0;
        for (int k = 0; k < m; k++) {
            dot[i][0] += x[i + k] * y[k];
            if (i > 0)
                dot[0][i] += x[k] * y[i + k];
        }
    }
}

static void kernel_sliding_dot(int n, int m, double x[n + m], double y[n + m], double dot[n][n])
{
#pragma scop
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            dot[i][j] = dot[i - 1][j - 1] - x[i - 1] * y[j - 1] + x[i + m - 1] * y[j + m - 1];
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N, m = M;
    read_sizes(argc, argv, "N M", 2, (int *[]){&n, &m});

    double *x = allocate(sizeof(double[n + m]));
    double *y = allocate(sizeof(double[n + m]));
    double (*dot)[n] = allocate(sizeof(double[n][n]));
    init(n, m, x, y, dot);

    double start = now();
    kernel_sliding_dot(n, m, x, y, dot);
    double seconds = now() - start;

    report(seconds, checksum_double(&dot[0][0], (size_t)n * n));
    free(x);
    free(y);
    free(dot);
    return 0;
}
