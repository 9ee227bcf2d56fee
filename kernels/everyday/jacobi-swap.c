/* jacobi-swap: heat on a plate by Jacobi's method, until the largest change is small or the steps
 * are used up; two grids whose pointers are exchanged after each step.
 * Stresses a swap of pointers in the loop over time, a maximum by `if` that ends the loop, a struct
 * with a macro for its elements, a source term that may be absent. */
// sizes: 10 500 500 | 320 500 500 | 960 500 500
#include <math.h>

#include "common.h"

struct grid {
    int ny, nx;
    double *now, *then;
};

#define AT(p, g, y, x) (p)[(y) * (g)->nx + (x)]

static double sweep(struct grid *g, const double *source)
{
    double change = 0.0;
    for (int y = 1; y < g->ny - 1; y++) {
        for (int x = 1; x < g->nx - 1; x++) {
            double v = 0.25 * (AT(g->now, g, y - 1, x) + AT(g->now, g, y + 1, x)
                               + AT(g->now, g, y, x - 1) + AT(g->now, g, y, x + 1));
            if (source)
                v += AT(source, g, y, x);
            double d = fabs(v - AT(g->now, g, y, x));
            if (d > change)
                change = d;
            AT(g->then, g, y, x) = v;
        }
    }
    double *t = g->now;
    g->now = g->then;
    g->then = t;
    return change;
}

int main(int argc, char **argv)
{
    int steps = 320, ny = 500, nx = 500;
    read_sizes(argc, argv, "STEPS NY NX", 3, (int *[]){&steps, &ny, &nx});

    size_t count = (size_t)ny * nx;
    struct grid g = {ny, nx, allocate(count * sizeof(double)), allocate(count * sizeof(double))};
    double *source = allocate(count * sizeof(double));
    for (int y = 0; y < ny; y++) {
        for (int x = 0; x < nx; x++) {
            double edge = y == 0 ? 1.0 : x == 0 ? 0.5 : 0.0;
            AT(g.now, &g, y, x) = edge;
            AT(g.then, &g, y, x) = edge;
            AT(source, &g, y, x) = (double)((y * 7 + x * 3) % 11) / 1024.0;
        }
    }

    double start = now();
    double change = 1.0;
    int step;
    for (step = 0; step < steps && change > 1e-9; step++)
        change = sweep(&g, step < steps / 2 ? source : NULL);
    double seconds = now() - start;

    report(seconds, change + step + checksum_double(g.now, count) + checksum_double(g.then, count));
    free(g.now);
    free(g.then);
    free(source);
    return 0;
}
