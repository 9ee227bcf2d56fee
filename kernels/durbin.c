/* durbin: Levinson-Durbin recursion, solves the Yule-Walker system T y = -r for a symmetric
 * Toeplitz matrix T with unit diagonal, one order a step, in O(n^2).
 * Stresses scalars carried by the outer loop and an array read backwards, y[k - 1 - i]. */
#include "common.h"

#ifndef N
#define N 12000
#endif

/* A convex decreasing sequence makes T positive definite, so beta stays positive. */
static void init(int n, double r[n])
{
    for (int i = 0; i < n; i++)
        r[i] = 1.0 / (i + 2);
}

static void kernel_durbin(int n, double r[n], double y[n], double z[n])
{
    double alpha, beta, sum;

#pragma scop
    y[0] = -r[0];
    beta = 1.0;
    alpha = -r[0];
    for (int k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double *r = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n]));
    double *z = allocate(sizeof(double[n]));
    init(n, r);

    double start = now();
    kernel_durbin(n, r, y, z);
    double seconds = now() - start;

    report(seconds, checksum_double(y, n));
    free(r);
    free(y);
    free(z);
    return 0;
}
