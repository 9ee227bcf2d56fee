/* red-black: Gauss-Seidel relaxation of Poisson's equation in chessboard order: in each sweep
 * first the points with i + j even, then those with i + j odd, each from its four neighbours.
 * Stresses guards with a modulus: within one colour all points are independent. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 80
#endif
#ifndef N
#define N 1000
#endif

static void init(int n, double u[n][n], double f[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            u[i][j] = ((3 * i + 4 * j) % 25 + 1) / 25.0;
            f[i][j] = ((i + 6 * j) % 11) / 44.0;
        }
}

static void kernel_red_black(int tsteps, int n, double u[n][n], double f[n][n])
{
#pragma scop
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                if ((i + j) % 2 == 0)
                    u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                if ((i + j) % 2 == 1)
                    u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    read_sizes(argc, argv, "TSTEPS N", 2, (int *[]){&tsteps, &n});

    double (*u)[n] = allocate(sizeof(double[n][n]));
    double (*f)[n] = allocate(sizeof(double[n][n]));
    init(n, u, f);

    double start = now();
    kernel_red_black(tsteps, n, u, f);
    double seconds = now() - start;

    report(seconds, checksum_double(&u[0][0], (size_t)n * n));
    free(u);
    free(f);
    return 0;
}
