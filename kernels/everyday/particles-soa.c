/* particles-soa: particles in a box under gravity and drag, a struct of arrays behind a pointer;
 * they bounce off the walls, and those that are asleep are passed over.
 * Stresses pointers that are loaded from a struct in every iteration, size_t counters, an early
 * `continue` on data, `if` on data with assignments on both sides, a helper that is a recurrence. */
// sizes: 40 10000 | 120 100000 | 360 100000
#include <stdint.h>

#include "common.h"

struct particles {
    size_t n;
    float *x, *y;
    float *vx, *vy;
    uint8_t *asleep;
};

static void move(struct particles *p, float dt, float width, float height)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->asleep[i])
            continue;
        p->vy[i] -= 9.81f * dt;
        p->vx[i] *= 0.999f;
        p->vy[i] *= 0.999f;
        p->x[i] += p->vx[i] * dt;
        p->y[i] += p->vy[i] * dt;
        if (p->x[i] < 0.0f) {
            p->x[i] = -p->x[i];
            p->vx[i] = -p->vx[i];
        } else if (p->x[i] > width) {
            p->x[i] = 2.0f * width - p->x[i];
            p->vx[i] = -p->vx[i];
        }
        if (p->y[i] < 0.0f) {
            p->y[i] = -p->y[i];
            p->vy[i] = -0.8f * p->vy[i];
        }
        if (p->y[i] > height)
            p->y[i] = height;
    }
}

static float kinetic(const struct particles *p)
{
    float sum = 0.0f;
    for (size_t i = 0; i < p->n; i++)
        sum += p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i];
    return 0.5f * sum;
}

int main(int argc, char **argv)
{
    int steps = 120, n = 100000;
    read_sizes(argc, argv, "STEPS PARTICLES", 2, (int *[]){&steps, &n});

    struct particles p;
    p.n = n;
    p.x = allocate(n * sizeof(float));
    p.y = allocate(n * sizeof(float));
    p.vx = allocate(n * sizeof(float));
    p.vy = allocate(n * sizeof(float));
    p.asleep = allocate(n);
    for (int i = 0; i < n; i++) {
        p.x[i] = (float)(i * 17 % 1000) / 100.0f;
        p.y[i] = (float)(i * 31 % 700) / 100.0f;
        p.vx[i] = (float)(i * 7 % 61 - 30) / 10.0f;
        p.vy[i] = (float)(i * 11 % 41 - 20) / 10.0f;
        p.asleep[i] = i % 11 == 4;
    }
    float *energies = allocate(steps * sizeof(float));

    double start = now();
    for (int s = 0; s < steps; s++) {
        move(&p, 0.01f, 10.0f, 8.0f);
        energies[s] = kinetic(&p);
    }
    double seconds = now() - start;

    report(seconds, checksum_float(p.x, n) + checksum_float(p.y, n) + checksum_float(p.vx, n)
                    + checksum_float(p.vy, n) + checksum_float(energies, steps));
    free(p.x);
    free(p.y);
    free(p.vx);
    free(p.vy);
    free(p.asleep);
    free(energies);
    return 0;
}
