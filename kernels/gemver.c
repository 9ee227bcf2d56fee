/* gemver: rank-two update and two products, B = A + u1 v1^T + u2 v2^T, x = beta B^T y + z, w = alpha B x.
 * Stresses a chain of four nests in which B (kept in A) is walked by rows, columns and rows. */
#include "common.h"

#ifndef N
#define N 4000
#endif

struct vectors {
    double *u1, *v1, *u2, *v2, *w, *x, *y, *z;
};

static double *vector(int n, int step, int modulus)
{
    double *v = allocate(sizeof(double[n]));
    for (int i = 0; i < n; i++)
        v[i] = ((long)i * step % modulus + 1) / (double)modulus;
    return v;
}

static void init(int n, double A[n][n], struct vectors *v)
{
    v->u1 = vector(n, 1, 5);
    v->v1 = vector(n, 2, 7);
    v->u2 = vector(n, 3, 11);
    v->v2 = vector(n, 5, 13);
    v->y = vector(n, 7, 17);
    v->z = vector(n, 9, 19);
    v->x = vector(n, 0, 1);
    v->w = vector(n, 0, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = ((6 * i + j) % 23) / 23.0 / n;
}

static void kernel_gemver(int n, double alpha, double beta, double A[n][n],
                          double u1[n], double v1[n], double u2[n], double v2[n],
                          double w[n], double x[n], double y[n], double z[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];

    for (int i = 0; i < n; i++) {
        x[i] = z[i];
        for (int j = 0; j < n; j++)
            x[i] = x[i] + beta * A[j][i] * y[j];
    }

    for (int i = 0; i < n; i++) {
        w[i] = 0.0;
        for (int j = 0; j < n; j++)
            w[i] = w[i] + alpha * A[i][j] * x[j];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    double (*A)[n] = allocate(sizeof(double[n][n]));
    struct vectors v;
    init(n, A, &v);

    double start = now();
    kernel_gemver(n, 1.5, 1.2, A, v.u1, v.v1, v.u2, v.v2, v.w, v.x, v.y, v.z);
    double seconds = now() - start;

    report(seconds, checksum_double(&A[0][0], (size_t)n * n) + checksum_double(v.x, n)
                        + checksum_double(v.w, n));
    free(A);
    double *all[] = {v.u1, v.v1, v.u2, v.v2, v.w, v.x, v.y, v.z};
    for (int i = 0; i < 8; i++)
        free(all[i]);
    return 0;
}
