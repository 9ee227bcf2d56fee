/* thomas: solves M independent tridiagonal systems of N unknowns by the Thomas algorithm, one
 * system a column of the arrays: elimination downwards, then back substitution upwards.
 * Stresses opposite directions of one loop, a scalar temporary, and interchange for unit stride. */
#include "common.h"

#ifndef M
#define M 2200
#endif
#ifndef N
#define N 2000
#endif

static void init(int m, int n, double low[n][m], double diag[n][m], double up[n][m], double x[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            low[i][j] = -((i + 2 * j) % 5 + 1) / 5.0;
            up[i][j] = -((3 * i + j) % 6 + 1) / 6.0;
            diag[i][j] = 3.0 + ((i + j) % 4) / 4.0;
            x[i][j] = ((7 * i + 5 * j) % 20 + 1) / 20.0;
        }
}

static void kernel_thomas(int m, int n, double low[n][m], double diag[n][m], double up[n][m], double x[n][m])
{
#pragma scop
    for (int s = 0; s < m; s++) {
        up[0][s] /= diag[0][s];
        x[0][s] /= diag[0][s];
        for (int i = 1; i < n; i++) {
            double pivot = diag[i][s] - low[i][s] * up[i - 1][s];
            up[i][s] = up[i][s] / pivot;
            x[i][s] = (x[i][s] - low[i][s] * x[i - 1][s]) / pivot;
        }
        for (int i = n - 2; i >= 0; i--)
            x[i][s] -= up[i][s] * x[i + 1][s];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});

    double (*low)[m] = allocate(sizeof(double[n][m]));
    double (*diag)[m] = allocate(sizeof(double[n][m]));
    double (*up)[m] = allocate(sizeof(double[n][m]));
    double (*x)[m] = allocate(sizeof(double[n][m]));
    init(m, n, low, diag, up, x);

    double start = now();
    kernel_thomas(m, n, low, diag, up, x);
    double seconds = now() - start;

    report(seconds, checksum_double(&x[0][0], (size_t)n * m));
    free(low);
    free(diag);
    free(up);
    free(x);
    return 0;
}
