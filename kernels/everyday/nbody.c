/* nbody: bodies that attract each other, an array of structs; forces of all pairs, then a step of
 * velocity and place. Forces are softened, so that no distance is zero.
 * Stresses fields of structs in arrays, a triangular loop that adds to both bodies of a pair, a
 * pointer to the element of an outer loop. */
// sizes: 10 250 | 50 600 | 50 1040
#include <math.h>

#include "common.h"

typedef struct {
    double x, y, z;
    double vx, vy, vz;
    double mass;
} body;

static void advance(body *b, int n, double dt)
{
    for (int i = 0; i < n; i++) {
        body *p = &b[i];
        for (int j = i + 1; j < n; j++) {
            double dx = p->x - b[j].x;
            double dy = p->y - b[j].y;
            double dz = p->z - b[j].z;
            double d2 = dx * dx + dy * dy + dz * dz + 0.01;
            double f = dt / (d2 * sqrt(d2));
            p->vx -= dx * b[j].mass * f;
            p->vy -= dy * b[j].mass * f;
            p->vz -= dz * b[j].mass * f;
            b[j].vx += dx * p->mass * f;
            b[j].vy += dy * p->mass * f;
            b[j].vz += dz * p->mass * f;
        }
    }
    for (int i = 0; i < n; i++) {
        b[i].x += dt * b[i].vx;
        b[i].y += dt * b[i].vy;
        b[i].z += dt * b[i].vz;
    }
}

static double energy(const body *b, int n)
{
    double e = 0.0;
    for (int i = 0; i < n; i++) {
        double v2 = b[i].vx * b[i].vx + b[i].vy * b[i].vy + b[i].vz * b[i].vz;
        e += 0.5 * b[i].mass * v2;
        for (int j = i + 1; j < n; j++) {
            double dx = b[i].x - b[j].x, dy = b[i].y - b[j].y, dz = b[i].z - b[j].z;
            e -= b[i].mass * b[j].mass / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
        }
    }
    return e;
}

int main(int argc, char **argv)
{
    int steps = 50, n = 600;
    read_sizes(argc, argv, "STEPS BODIES", 2, (int *[]){&steps, &n});

    body *bodies = allocate(n * sizeof(body));
    for (int i = 0; i < n; i++) {
        bodies[i].x = (double)(i * 37 % 101) / 10.0;
        bodies[i].y = (double)(i * 53 % 103) / 10.0;
        bodies[i].z = (double)(i * 71 % 107) / 10.0;
        bodies[i].vx = (double)(i % 5 - 2) / 10.0;
        bodies[i].vy = (double)(i % 7 - 3) / 10.0;
        bodies[i].vz = (double)(i % 3 - 1) / 10.0;
        bodies[i].mass = 0.5 + (double)(i % 4);
    }

    double start = now();
    for (int s = 0; s < steps; s++)
        advance(bodies, n, 0.001);
    double e = energy(bodies, n);
    double seconds = now() - start;

    report(seconds, e + checksum_double(&bodies[0].x, (size_t)n * (sizeof(body) / sizeof(double))));
    free(bodies);
    return 0;
}
