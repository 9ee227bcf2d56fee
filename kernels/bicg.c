/* bicg: the two products of one step of the biconjugate gradient method, s = A^T r and q = A p.
 * Stresses a nest with two reductions, one along each loop: either loop can be parallel for one only. */
#include "common.h"

#ifndef M
#define M 7000
#endif
#ifndef N
#define N 7200
#endif

static void init(int m, int n, double A[n][m], double p[m], double r[n])
{
    for (int j = 0; j < m; j++)
        p[j] = (j % 21 + 1) / 21.0;
    for (int i = 0; i < n; i++) {
        r[i] = (i % 16 + 1) / 16.0;
        for (int j = 0; j < m; j++)
            A[i][j] = ((2 * i + 5 * j) % 12 + 1) / 12.0;
    }
}

static void kernel_bicg(int m, int n, double A[n][m], double s[m], double q[n], double p[m], double r[n])
{
    int i, j;

#pragma scop
    for (i = 0; i < m; i++)
        s[i] = 0;
    for (i = 0; i < n; i++) {
        q[i] = 0;
        for (j = 0; j < m; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});

    double (*A)[m] = allocate(sizeof(double[n][m]));
    double *s = allocate(sizeof(double[m]));
    double *q = allocate(sizeof(double[n]));
    double *p = allocate(sizeof(double[m]));
    double *r = allocate(sizeof(double[n]));
    init(m, n, A, p, r);

    double start = now();
    kernel_bicg(m, n, A, s, q, p, r);
    double seconds = now() - start;

    report(seconds, checksum_double(s, m) + 0.5 * checksum_double(q, n));
    free(A);
    free(s);
    free(q);
    free(p);
    free(r);
    return 0;
}
