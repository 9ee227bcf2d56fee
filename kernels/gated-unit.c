/* gated-unit: gated linear unit of a neural network on columns of features: h = W x with 2 D rows, of which
 * the lower half opens and closes the upper one, y[i] = h[i] s(h[i + D]) with s(g) = g / (1 + |g|).
 * Wants all in one loop over D rows: date i - D for the rows of the gate (a parametric shift of -1; the other
 * way round, +1 for the value and the result), so that both products read x once and h stays in cache. */
#include <math.h>

#include "common.h"

#ifndef D
#define D 600
#endif
#ifndef K
#define K 500
#endif
#ifndef B
#define B 250
#endif

static void init(int d, int k, int b, double W[2 * d][k], double x[k][b])
{
    for (int p = 0; p < k; p++) {
        for (int i = 0; i < 2 * d; i++)
            W[i][p] = ((3 * i + 5 * p) % 17 - 8) / 16.0;
        for (int j = 0; j < b; j++)
            x[p][j] = ((7 * p + 2 * j) % 19 - 9) / 18.0;
    }
}

static void kernel_gated_unit(int d, int k, int b, double W[2 * d][k], double x[k][b], double h[2 * d][b],
                              double y[d][b])
{
#pragma scop
    for (int i = 0; i < d; i++)
        for (int j = 0; j < b; j++) {
            h[i][j] = 0.0;
            for (int p = 0; p < k; p++)
                h[i][j] += W[i][p] * x[p][j];
        }
    for (int i = d; i < 2 * d; i++)
        for (int j = 0; j < b; j++) {
            h[i][j] = 0.0;
            for (int p = 0; p < k; p++)
                h[i][j] += W[i][p] * x[p][j];
        }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < b; j++)
            y[i][j] = h[i][j] * h[i + d][j] / (1.0 + fabs(h[i + d][j]));
#pragma endscop
}

int main(int argc, char **argv)
{
    int d = D, k = K, b = B;
    read_sizes(argc, argv, "D K B", 3, (int *[]){&d, &k, &b});

    double (*W)[k] = allocate(sizeof(double[2 * d][k]));
    double (*x)[b] = allocate(sizeof(double[k][b]));
    double (*h)[b] = allocate(sizeof(double[2 * d][b]));
    double (*y)[b] = allocate(sizeof(double[d][b]));
    init(d, k, b, W, x);

    double start = now();
    kernel_gated_unit(d, k, b, W, x, h, y);
    double seconds = now() - start;

    report(seconds, checksum_double(&y[0][0], (size_t)d * b));
    free(W);
    free(x);
    free(h);
    free(y);
    return 0;
}
