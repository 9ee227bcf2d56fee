/* lu-solve: A X = B for many right-hand sides: LU with partial pivoting, the order of rows in an
 * array of indices that is applied to B, then both substitutions. Rows of X are contiguous.
 * Stresses a matrix by pointers to rows (double **) whose pointers are exchanged, triangular loops
 * forwards and backwards, a search for the pivot. */
// sizes: 200 100 | 640 320 | 920 460
#include <math.h>

#include "common.h"

static void lu_factor(double **a, int *order, int n)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[p][k]))
                p = i;
        if (p != k) {
            double *row = a[k];
            a[k] = a[p];
            a[p] = row;
            int t = order[k];
            order[k] = order[p];
            order[p] = t;
        }
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

static void lu_solve(double **lu, const int *order, const double *b, double *x, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < m; c++)
            x[i * m + c] = b[order[i] * m + c];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            for (int c = 0; c < m; c++)
                x[i * m + c] -= lu[i][k] * x[k * m + c];
    for (int i = n - 1; i >= 0; i--) {
        double *xi = x + i * m;
        for (int k = i + 1; k < n; k++) {
            const double *xk = x + k * m;
            double factor = lu[i][k];
            for (int c = 0; c < m; c++)
                xi[c] -= factor * xk[c];
        }
        for (int c = 0; c < m; c++)
            xi[c] /= lu[i][i];
    }
}

int main(int argc, char **argv)
{
    int n = 640, m = 320;
    read_sizes(argc, argv, "N COLUMNS", 2, (int *[]){&n, &m});

    double *memory = allocate((size_t)n * n * sizeof(double));
    double **a = allocate(n * sizeof(double *));
    int *order = allocate(n * sizeof(int));
    double *b = allocate((size_t)n * m * sizeof(double));
    double *x = allocate((size_t)n * m * sizeof(double));
    for (int i = 0; i < n; i++) {
        a[i] = memory + (size_t)i * n;
        for (int j = 0; j < n; j++)
            a[i][j] = (double)((i * 17 + j * 29) % 37) / 37.0 + ((i + 5) % n == j ? n : 0);
        for (int c = 0; c < m; c++)
            b[i * m + c] = (double)((i * 3 + c * 5) % 19) / 19.0;
    }

    double start = now();
    lu_factor(a, order, n);
    lu_solve(a, order, b, x, n, m);
    double seconds = now() - start;

    report(seconds, checksum_double(memory, (size_t)n * n) + checksum_double(x, (size_t)n * m)
                    + checksum_int(order, n));
    free(memory);
    free(a);
    free(order);
    free(b);
    free(x);
    return 0;
}
