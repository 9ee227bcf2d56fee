/* csr-spmv: power iteration with a sparse matrix in compressed rows: y = A x, then x = y / |y|.
 * Stresses a struct of arrays, loops between row[i] and row[i + 1], x[column[k]], a sum over all
 * of a vector between two passes. */
// sizes: 8 20000 12 | 80 60000 12 | 240 60000 12
#include <math.h>

#include "common.h"

struct csr {
    int n;
    int *row;
    int *column;
    double *value;
};

static void multiply(const struct csr *m, const double *x, double *y)
{
    for (int i = 0; i < m->n; i++) {
        double sum = 0.0;
        for (int k = m->row[i]; k < m->row[i + 1]; k++)
            sum += m->value[k] * x[m->column[k]];
        y[i] = sum;
    }
}

static double norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double power_iteration(const struct csr *m, double *x, double *y, int steps)
{
    double size = 0.0;
    for (int s = 0; s < steps; s++) {
        multiply(m, x, y);
        size = norm(y, m->n);
        if (size == 0.0)
            break;
        for (int i = 0; i < m->n; i++)
            x[i] = y[i] / size;
    }
    return size;
}

int main(int argc, char **argv)
{
    int steps = 80, n = 60000, width = 12;
    read_sizes(argc, argv, "STEPS N WIDTH", 3, (int *[]){&steps, &n, &width});

    struct csr m = {
        .n = n,
        .row = allocate((n + 1) * sizeof(int)),
        .column = allocate((size_t)n * width * sizeof(int)),
        .value = allocate((size_t)n * width * sizeof(double)),
    };
    double *x = allocate(n * sizeof(double));
    double *y = allocate(n * sizeof(double));
    int filled = 0;
    for (int i = 0; i < n; i++) {
        m.row[i] = filled;
        int count = 1 + i * 7 % width;
        for (int k = 0; k < count; k++) {
            m.column[filled] = (int)(((long long)i * 31 + (long long)k * k * 977) % n);
            m.value[filled] = (double)((i + 5 * k) % 17 + 1) / 17.0;
            filled++;
        }
        x[i] = 1.0 + (double)(i % 3);
    }
    m.row[n] = filled;

    double start = now();
    double size = power_iteration(&m, x, y, steps);
    double seconds = now() - start;

    report(seconds, size + checksum_double(x, n) + checksum_double(y, n));
    free(m.row);
    free(m.column);
    free(m.value);
    free(x);
    free(y);
    return 0;
}
