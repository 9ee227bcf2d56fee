/* heat-ring: explicit heat equation on a ring of 2 M cells, where cell 0 is a neighbour of cell 2 M - 1; the
 * two arcs of M cells have materials of their own, hence loops of their own.
 * Wants time tiling, which the wrap-around forbids unless the ring is folded: the arc 0 <= i < M at 2 t + i, the
 * arc M <= i < 2 M at 2 t + 2 M - 1 - i (coefficient -1 for i, +2 for M), the copies one later; permutable with t. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 3000
#endif
#ifndef M
#define M 12000
#endif

static void init(int m, double a[2 * m], double b[2 * m])
{
    for (int i = 0; i < 2 * m; i++) {
        a[i] = ((5 * i + i / 9) % 33) / 32.0;
        b[i] = 0.0;
    }
}

static void kernel_heat_ring(int tsteps, int m, double a[2 * m], double b[2 * m])
{
#pragma scop
    for (int t = 0; t < tsteps; t++) {
        b[0] = a[0] + 0.25 * (a[2 * m - 1] - 2.0 * a[0] + a[1]);
        for (int i = 1; i < m; i++)
            b[i] = a[i] + 0.25 * (a[i - 1] - 2.0 * a[i] + a[i + 1]);
        for (int i = m; i < 2 * m - 1; i++)
            b[i] = a[i] + 0.125 * (a[i - 1] - 2.0 * a[i] + a[i + 1]);
        b[2 * m - 1] = a[2 * m - 1] + 0.125 * (a[2 * m - 2] - 2.0 * a[2 * m - 1] + a[0]);

        for (int i = 0; i < m; i++)
            a[i] = b[i];
        for (int i = m; i < 2 * m; i++)
            a[i] = b[i];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, m = M;
    read_sizes(argc, argv, "TSTEPS M", 2, (int *[]){&tsteps, &m});

    double *a = allocate(sizeof(double[2 * m]));
    double *b = allocate(sizeof(double[2 * m]));
    init(m, a, b);

    double start = now();
    kernel_heat_ring(tsteps, m, a, b);
    double seconds = now() - start;

    report(seconds, checksum_double(a, 2 * (size_t)m));
    free(a);
    free(b);
    return 0;
}
