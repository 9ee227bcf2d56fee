/* cg-grid: conjugate gradients for Poisson's equation on a 5-point grid, matrix-free, with zeros
 * around it: a fixed number of steps, or fewer where the residual is small.
 * Stresses dot products between sweeps that depend on them, helper functions on vectors, guards at
 * the border by ternaries, a `while` loop. */
// sizes: 13 150 150 | 100 300 300 | 300 300 300
#include "common.h"

static double dot(const double *a, const double *b, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

static void axpy(double *y, double alpha, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

static void apply(double *out, const double *in, int rows, int cols)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            double up = i > 0 ? in[(i - 1) * cols + j] : 0.0;
            double down = i < rows - 1 ? in[(i + 1) * cols + j] : 0.0;
            double left = j > 0 ? in[i * cols + j - 1] : 0.0;
            double right = j < cols - 1 ? in[i * cols + j + 1] : 0.0;
            out[i * cols + j] = 4.0 * in[i * cols + j] - up - down - left - right;
        }
    }
}

/* Solves A x = b from x = 0; r, p and q are for its own use. Gives the steps taken. */
static int solve(double *x, const double *b, double *r, double *p, double *q, int rows, int cols,
                 int most)
{
    const int n = rows * cols;
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        r[i] = b[i];
        p[i] = b[i];
    }
    double rr = dot(r, r, n);
    int step = 0;
    while (step < most && rr > 1e-20) {
        apply(q, p, rows, cols);
        double alpha = rr / dot(p, q, n);
        axpy(x, alpha, p, n);
        axpy(r, -alpha, q, n);
        double next = dot(r, r, n);
        double beta = next / rr;
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
        rr = next;
        step++;
    }
    return step;
}

int main(int argc, char **argv)
{
    int steps = 100, rows = 300, cols = 300;
    read_sizes(argc, argv, "STEPS ROWS COLUMNS", 3, (int *[]){&steps, &rows, &cols});

    size_t count = (size_t)rows * cols;
    double *x = allocate(count * sizeof(double));
    double *b = allocate(count * sizeof(double));
    double *r = allocate(count * sizeof(double));
    double *p = allocate(count * sizeof(double));
    double *q = allocate(count * sizeof(double));
    for (size_t i = 0; i < count; i++)
        b[i] = (double)(i * 19 % 103) / 103.0 - 0.5;

    double start = now();
    int taken = solve(x, b, r, p, q, rows, cols, steps);
    double seconds = now() - start;

    report(seconds, taken + checksum_double(x, count) + checksum_double(r, count));
    free(x);
    free(b);
    free(r);
    free(p);
    free(q);
    return 0;
}
