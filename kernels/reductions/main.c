/* Times the kernels of `kernels.c`: reads lines `RUNS KERNEL memory` on stdin, answers each with a line on stdout: kernel, result, seconds
 * of the fastest of RUNS calls, bytes that it must move. With `caches` in the place of `memory` it works on so little that caches hold it from
 * call to call. The kernel `read` is what the machine reads from memory with the same number of threads. All arrays lie in the file DATA, which is made where it is not there, so that several programs work on the same memory.
 * Usage: main DATA */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

#define N 16000000
#define SIDE 2400
#define POINTS 1000000
#define CLUSTERS 16
#define DIMS 8
#define FEATURES 400
#define SAMPLES 2000

/* How much a call works on: elements of vectors, rows of matrices with SIDE columns, rows and columns of others, points. */
struct sizes {
    int n, lines, side, points;
};
static const struct sizes from_memory = {N, SIDE, SIDE, POINTS}, in_caches = {16000, 24, 150, 4000};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The arrays: operands `x` to `v`, and where results go. */
struct arrays {
    double x[N], y[N];
    float f[N], g[N];
    uint8_t u[4 * N], v[4 * N];
    float h[N];
    double p[N], q[N], mine[N];
};

#ifndef __CLFLUSHOPT__
static volatile double sink;
#endif

/* Takes the operands out of all caches, so that no call finds there what the last one left. Reading other memory is not enough where
 * caches keep lines that were used twice, but all that can be done where no instruction does it. */
static void cold(const struct arrays *a)
{
#ifdef __CLFLUSHOPT__
    for (const char *line = (const char *)a; line < (const char *)(a + 1); line += 64)
        __builtin_ia32_clflushopt(line);
    __builtin_ia32_mfence();
#else
    double total = 0.0;
    for (int i = 0; i < N; i += 8)
        total += a->mine[i];
    sink = total;
#endif
}

/* The least time of a call, its result, and what it must move. */
#define TIME(name, bytes, prepare, call, result)                                                                             \
    if (!strcmp(kernel, #name)) {                                                                                               \
        double best = INFINITY, value = 0.0;                                                                                 \
        for (int run = 0; run < runs; run++) {                                                                               \
            if (z == &from_memory)                                                                                           \
                cold(a);                                                                                                     \
            prepare;                                                                                                         \
            double start = now();                                                                                            \
            call;                                                                                                            \
            double took = now() - start;                                                                                     \
            best = took < best ? took : best;                                                                                \
            value = (double)(result);                                                                                        \
        }                                                                                                                    \
        printf(#name " %.17g %.9f %.0f\n", value, best, bytes);                                                              \
        fflush(stdout);                                                                                                      \
    }

typedef double vector __attribute__((vector_size(64)));

/* What the machine reads: `n` doubles, by each thread in blocks of four parts side by side, since memory answers several streams
 * faster than one. Sums are added up in registers, as many as never wait for each other. */
__attribute__((optimize("O3"), noinline)) static double read_all(const double *x, int n)
{
    enum { PART = 1024, PARTS = 4 };
    double total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (int block = 0; block < n / (8 * PART * PARTS); block++) {
        const vector *at = (const vector *)x + (long)block * PART * PARTS;
        vector s[PARTS] = {{0.0}};
        for (int i = 0; i < PART; i++)
#pragma GCC unroll 4
            for (int p = 0; p < PARTS; p++)
                s[p] += at[p * PART + i];
        for (int l = 0; l < 8; l++)
            total += s[0][l] + s[1][l] + s[2][l] + s[3][l];
    }
    return total;
}

static double added_up(const float *x, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += x[i] * (1 + i % 7);
    return s;
}

static double added_up_double(const double *x, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += x[i] * (1 + i % 7);
    return s;
}

static void fill(struct arrays *a)
{
    for (int i = 0; i < N; i++) {
        unsigned bits = (unsigned)i * 2654435761u;
        a->x[i] = (bits >> 12) * 0x1p-20 - 0.5;
        a->y[i] = (bits >> 9 & 0xfffff) * 0x1p-20;
        a->f[i] = (float)a->x[i];
        a->g[i] = (float)a->y[i];
        a->h[i] = 0.0f;
        a->p[i] = a->y[i];
        a->q[i] = 0.0;
        a->mine[i] = 0.0;
    }
    for (int i = 0; i < 4 * N; i++) {
        a->u[i] = (uint8_t)((unsigned)i * 2654435761u >> 23);
        a->v[i] = (uint8_t)(a->u[i] + (i % 97 == 0));
    }
}

/* The arrays in a file, which is made first where it is not there. */
static struct arrays *mapped(const char *path)
{
    int made = 0, file = open(path, O_RDWR);
    if (file < 0) {
        file = open(path, O_RDWR | O_CREAT, 0600);
        made = 1;
        if (file < 0 || ftruncate(file, sizeof(struct arrays)) != 0)
            return NULL;
    }
    struct arrays *a = mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (a == MAP_FAILED)
        return NULL;
    if (made)
        fill(a);
    return a;
}

/* Runs the kernel of a name; nothing is said where there is none. */
static void timed(const char *kernel, int runs, const struct sizes *z, struct arrays *a)
{
    double *x = a->x, *y = a->y, *p = a->p, *q = a->q, *mine = a->mine;
    float *f = a->f, *g = a->g, *h = a->h;
    uint8_t *u = a->u, *v = a->v;
    double r = 0.0;
    const double d = sizeof(double), s = sizeof(float);
    TIME(read, d * (N / 32768 * 32768), , r = read_all(x, N), r)
    const int n = z->n, lines = z->lines, side = z->side, points = z->points;
    const int images = n / 64 / 500 > 0 ? n / 64 / 500 : 1;
    const double wide = (double)lines * SIDE, square = (double)side * side;
    TIME(sum, d * n, , r = sum(n, x), r)
    TIME(dot, 2 * s * n, , r = dot(n, f, g), r)
    TIME(norm2, d * n, , r = norm2(n, x), r)
    TIME(norm1, d * n, , r = norm1(n, x), r)
    TIME(greatest, s * n, , r = greatest(n, f), r)
    TIME(extent, d * n, , r = extent(n, x), r)
    TIME(mismatches, 8.0 * n, , r = mismatches(4 * n, u, v), r)
    TIME(cosine, 2 * d * n, , r = cosine(n, x, y), r)
    TIME(variance, 2 * d * n, , r = variance(n, x), r)
    TIME(frobenius, 2 * d * wide, , r = frobenius(lines, SIDE, (void *)x, (void *)y), r)
    TIME(rows, s * n, , rows(n / 1000, 1000, (void *)f, h), added_up(h, n / 1000))
    TIME(rows_of_3, s * (n + n / 3.0), , rows(n / 3, 3, (void *)f, h), added_up(h, n / 3))
    TIME(columns, s * n, , columns(n / 800, 800, (void *)f, h), added_up(h, 800))
    TIME(channels, s * 32000.0 * images, , channels(images, 64, 500, (void *)f, h), added_up(h, 64))
    TIME(middle, s * (n + n / 40.0), , middle(n / 40 / 64, 40, 64, (void *)f, (void *)h), added_up(h, n / 40))
    TIME(softmax, 2 * s * n, , softmax(n / 2000, 2000, (void *)f, (void *)h), added_up(h, n))
    TIME(layernorm, 2 * s * n, , layernorm(n / 800, 800, (void *)f, g, g + 800, (void *)h), added_up(h, n))
    TIME(atax, d * wide, , atax(lines, SIDE, (void *)x, y, p, q), added_up_double(p, SIDE))
    TIME(bicg, d * wide, , bicg(lines, SIDE, (void *)x, y, y + 4000, p, q), added_up_double(p, lines) + added_up_double(q, SIDE))
    TIME(gesummv, 2 * d * square, , gesummv(side, (void *)x, (void *)y, y, p), added_up_double(p, side))
    TIME(mvt, d * square, memset(p, 0, SIDE * d); memset(q, 0, SIDE * d),
         mvt(side, (void *)x, y, y + 4000, p, q), added_up_double(p, side) + added_up_double(q, side))
    TIME(covariance, d * FEATURES * SAMPLES, memcpy(mine, x, FEATURES * SAMPLES * sizeof *x),
         covariance(SAMPLES, FEATURES, (void *)mine, (void *)p), added_up_double(p, FEATURES))
    TIME(argmax, s * n, , r = argmax(n, f), r)
    unsigned count[256];
    TIME(histogram, 4.0 * n, memset(count, 0, sizeof count), histogram(4 * n, u, count), count[7] + 3.0 * count[200])
    int size[CLUSTERS];
    TIME(kmeans, s * points * DIMS, , kmeans(points, CLUSTERS, DIMS, (void *)f, (void *)g, (void *)h, size),
         added_up(h, CLUSTERS * DIMS) + size[3])
}

int main(int argc, char **argv)
{
    struct arrays *a = argc == 2 ? mapped(argv[1]) : NULL;
    if (!a) {
        fprintf(stderr, "usage: %s DATA   (a file, made where it is not there; then `RUNS KERNEL memory|caches` on stdin)\n", argv[0]);
        return 2;
    }
    char kernel[32], where[8];
    for (int runs; scanf("%d %31s %7s", &runs, kernel, where) == 3;)
        timed(kernel, runs, strcmp(where, "caches") ? &from_memory : &in_caches, a);
    return 0;
}
