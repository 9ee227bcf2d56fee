/* Shared by all kernels: size arguments, allocation, a timer, a checksum. */
#ifndef KERNELS_COMMON_H
#define KERNELS_COMMON_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* `#pragma scop` speaks to Farkas, not to the C compiler. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

static inline void usage(const char *program, const char *names)
{
    fprintf(stderr, "usage: %s [%s]   (positive integers)\n", program, names);
    exit(2);
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How long all threads are busy before a kernel begins, in seconds. */
#ifndef WARM_UP_S
#define WARM_UP_S 0.0
#endif

/* Replaces the defaults in `sizes` by the command line's values, in order. */
static inline void read_sizes(int argc, char **argv, const char *names, int count, int *const sizes[])
{
#ifdef _OPENMP
    /* Threads start with the first loop that uses them, once a process, and run on the core of the first until the system
       gives them their own: some milliseconds that are not the kernel's. */
#pragma omp parallel
    for (double start = now(); now() - start < WARM_UP_S;)
        ;
#endif
    if (argc - 1 > count)
        usage(argv[0], names);
    for (int a = 1; a < argc; a++) {
        char *end;
        long value = strtol(argv[a], &end, 10);
        if (end == argv[a] || *end != '\0' || value < 1 || value > INT_MAX / 16)
            usage(argv[0], names);
        *sizes[a - 1] = (int)value;
    }
}

static inline void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory (%zu bytes)\n", bytes);
        exit(1);
    }
    return memory;
}

/* A pseudo-random multiple of 1/1024 in (0, 1], so that each position counts differently. */
static inline double weight(size_t position)
{
    return (double)(((position * 2654435761u) >> 11) % 1024 + 1) / 1024.0;
}

#define DEFINE_CHECKSUM(NAME, TYPE)                            \
    static inline double NAME(const TYPE *data, size_t count) \
    {                                                          \
        double sum = 0.0;                                      \
        for (size_t p = 0; p < count; p++)                     \
            sum += weight(p) * (double)data[p];                \
        return sum;                                            \
    }
DEFINE_CHECKSUM(checksum_double, double)
DEFINE_CHECKSUM(checksum_float, float)
DEFINE_CHECKSUM(checksum_int, int)

static inline void report(double seconds, double checksum)
{
    printf("checksum %a %.17g\n", checksum, checksum);
    fprintf(stderr, "time_s %.6f\n", seconds);
}

#endif
