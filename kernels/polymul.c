/* polymul: product of two polynomials by their coefficients, c[i + j] += a[i] * b[j], as in
 * schoolbook multiplication; the top half is then folded back (arithmetic modulo x^N + 1).
 * Stresses a reduction into a sum of iterators (no loop is parallel as written) and a reversal. */
#include "common.h"

#ifndef N
#define N 18000
#endif

static void init(int n, double a[n], double b[n], double c[2 * n])
{
    for (int i = 0; i < n; i++) {
        a[i] = (i % 10 + 1) / 10.0;
        b[i] = (i % 11 - 4) / 11.0;
    }
    for (int i = 0; i < 2 * n; i++)
        c[i] = 0.0;
}

static void kernel_polymul(int n, double a[n], double b[n], double c[2 * n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[i + j] += a[i] * b[j];
    for (int i = n - 1; i > -1; --i)
        c[i] -= c[i + n];
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double *a = allocate(sizeof(double[n]));
    double *b = allocate(sizeof(double[n]));
    double *c = allocate(sizeof(double[2 * n]));
    init(n, a, b, c);

    double start = now();
    kernel_polymul(n, a, b, c);
    double seconds = now() - start;

    report(seconds, checksum_double(c, n));
    free(a);
    free(b);
    free(c);
    return 0;
}
