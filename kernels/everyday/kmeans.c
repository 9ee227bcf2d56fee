/* kmeans: Lloyd's iteration. Every point joins the nearest centre, then every centre moves to the
 * mean of its points; a centre without points stays.
 * Stresses a struct of pointers and sizes, the place of a minimum found by `if`, sums into rows
 * chosen by data, and an early `continue`. */
// sizes: 10 1300 12 16 | 10 40000 12 16 | 10 120000 12 16
#include <float.h>
#include <string.h>

#include "common.h"

struct clustering {
    int n, dim, k;
    const double *points;
    double *centers;
    double *sums;
    int *sizes;
    int *label;
};

static double distance2(const double *a, const double *b, int dim)
{
    double sum = 0.0;
    for (int j = 0; j < dim; j++) {
        double d = a[j] - b[j];
        sum += d * d;
    }
    return sum;
}

static void assign_points(struct clustering *c)
{
    for (int i = 0; i < c->n; i++) {
        double best = DBL_MAX;
        int nearest = 0;
        for (int k = 0; k < c->k; k++) {
            double d = distance2(c->points + i * c->dim, c->centers + k * c->dim, c->dim);
            if (d < best) {
                best = d;
                nearest = k;
            }
        }
        c->label[i] = nearest;
    }
}

static void update_centers(struct clustering *c)
{
    memset(c->sums, 0, (size_t)c->k * c->dim * sizeof(double));
    memset(c->sizes, 0, (size_t)c->k * sizeof(int));
    for (int i = 0; i < c->n; i++) {
        int k = c->label[i];
        c->sizes[k]++;
        for (int j = 0; j < c->dim; j++)
            c->sums[k * c->dim + j] += c->points[i * c->dim + j];
    }
    for (int k = 0; k < c->k; k++) {
        if (c->sizes[k] == 0)
            continue;
        for (int j = 0; j < c->dim; j++)
            c->centers[k * c->dim + j] = c->sums[k * c->dim + j] / c->sizes[k];
    }
}

int main(int argc, char **argv)
{
    int rounds = 10, n = 40000, dim = 12, k = 16;
    read_sizes(argc, argv, "ROUNDS POINTS DIM K", 4, (int *[]){&rounds, &n, &dim, &k});
    if (k > n)
        usage(argv[0], "ROUNDS POINTS DIM K, with K <= POINTS");

    double *points = allocate((size_t)n * dim * sizeof(double));
    struct clustering c = {
        .n = n, .dim = dim, .k = k, .points = points,
        .centers = allocate((size_t)k * dim * sizeof(double)),
        .sums = allocate((size_t)k * dim * sizeof(double)),
        .sizes = allocate((size_t)k * sizeof(int)),
        .label = allocate((size_t)n * sizeof(int)),
    };
    for (int i = 0; i < n; i++)
        for (int j = 0; j < dim; j++)
            points[i * dim + j] = (double)((i * 37 + j * 11) % 53) / 53.0 + (double)((i + j) % k);
    memcpy(c.centers, points, (size_t)k * dim * sizeof(double));

    double start = now();
    for (int r = 0; r < rounds; r++) {
        assign_points(&c);
        update_centers(&c);
    }
    double seconds = now() - start;

    report(seconds, checksum_double(c.centers, (size_t)k * dim) + checksum_int(c.label, n)
                    + checksum_int(c.sizes, k) + checksum_double(c.sums, (size_t)k * dim));
    free(points);
    free(c.centers);
    free(c.sums);
    free(c.sizes);
    free(c.label);
    return 0;
}
