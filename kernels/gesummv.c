/* gesummv: y = alpha A x + beta B x, both products in one nest.
 * Stresses memory bandwidth with two row reductions; the arrays are global with fixed sizes. */
#include "common.h"

#ifndef N
#define N 5000
#endif

static double A[N][N], B[N][N];
static double t[N], x[N], y[N];

static void init(int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = (i % 6 + 1) / 6.0;
        for (int j = 0; j < n; j++) {
            A[i][j] = ((i + 2 * j) % 9 + 1) / 9.0;
            B[i][j] = ((4 * i + 3 * j) % 10 + 2) / 10.0;
        }
    }
}

static void kernel_gesummv(int n, double alpha, double beta)
{
    int i, j;

#pragma scop
    for (i = 0; i < n; i++) {
        t[i] = 0.0;
        y[i] = 0.0;
        for (j = 0; j < n; j++) {
            t[i] = A[i][j] * x[j] + t[i];
            y[i] = B[i][j] * x[j] + y[i];
        }
        y[i] = alpha * t[i] + beta * y[i];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});
    if (n > N)
        usage(argv[0], "N, at most the compiled N");
    init(n);

    double start = now();
    kernel_gesummv(n, 1.5, 1.2);
    double seconds = now() - start;

    report(seconds, checksum_double(y, n));
    return 0;
}
