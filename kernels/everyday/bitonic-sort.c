/* bitonic-sort: sorts 2^LOG numbers by Batcher's bitonic network, and their positions with them.
 * Stresses a partner found by `i ^ step`, loops whose variable is halved and doubled, exchanges
 * under a condition on data, unsigned arithmetic. */
// sizes: 15 | 19 | 20
#include <stdint.h>

#include "common.h"

static void compare_exchange(float *keys, int *values, unsigned a, unsigned b)
{
    if (keys[a] > keys[b]) {
        float key = keys[a];
        keys[a] = keys[b];
        keys[b] = key;
        int value = values[a];
        values[a] = values[b];
        values[b] = value;
    }
}

static void bitonic_sort(float *keys, int *values, unsigned n)
{
    for (unsigned block = 2; block <= n; block *= 2) {
        for (unsigned step = block / 2; step > 0; step /= 2) {
            for (unsigned i = 0; i < n; i++) {
                unsigned other = i ^ step;
                if (other < i)
                    continue;
                if ((i & block) == 0)
                    compare_exchange(keys, values, i, other);
                else
                    compare_exchange(keys, values, other, i);
            }
        }
    }
}

int main(int argc, char **argv)
{
    int log = 19;
    read_sizes(argc, argv, "LOG", 1, (int *[]){&log});
    if (log > 28)
        usage(argv[0], "LOG, with LOG <= 28");

    unsigned n = 1u << log;
    float *keys = allocate(n * sizeof(float));
    int *values = allocate(n * sizeof(int));
    for (unsigned i = 0; i < n; i++) {
        keys[i] = (float)((i * 2654435761u) >> 8);
        values[i] = (int)i;
    }

    double start = now();
    bitonic_sort(keys, values, n);
    double seconds = now() - start;

    report(seconds, checksum_float(keys, n) + checksum_int(values, n));
    free(keys);
    free(values);
    return 0;
}
