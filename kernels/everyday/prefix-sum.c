/* prefix-sum: cumulative sums. An array is summed up several times in place (integrators in a
 * row), then one exclusive scan in blocks: sums of blocks, their scan, scans within blocks.
 * Stresses recurrences through a scalar, wrapping unsigned arithmetic, size_t loops, blocks whose
 * last one is short. */
// sizes: 4 700000 1000 | 30 3000000 1000 | 90 3000000 1000
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_unsigned, uint32_t)

static void inclusive_scan(uint32_t *a, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i];
        a[i] = sum;
    }
}

/* starts holds one value a block. */
static void exclusive_scan(const uint32_t *in, uint32_t *out, uint32_t *starts, size_t n,
                           size_t block)
{
    size_t blocks = (n + block - 1) / block;
    for (size_t b = 0; b < blocks; b++) {
        uint32_t sum = 0;
        for (size_t i = b * block; i < n && i < (b + 1) * block; i++)
            sum += in[i];
        starts[b] = sum;
    }

    uint32_t before = 0;
    for (size_t b = 0; b < blocks; b++) {
        uint32_t own = starts[b];
        starts[b] = before;
        before += own;
    }

    for (size_t b = 0; b < blocks; b++) {
        uint32_t sum = starts[b];
        size_t end = (b + 1) * block;
        if (end > n)
            end = n;
        for (size_t i = b * block; i < end; i++) {
            out[i] = sum;
            sum += in[i];
        }
    }
}

int main(int argc, char **argv)
{
    int rounds = 30, n = 3000000, block = 1000;
    read_sizes(argc, argv, "ROUNDS N BLOCK", 3, (int *[]){&rounds, &n, &block});

    size_t blocks = ((size_t)n + block - 1) / block;
    uint32_t *a = allocate(n * sizeof(uint32_t));
    uint32_t *out = allocate(n * sizeof(uint32_t));
    uint32_t *starts = allocate(blocks * sizeof(uint32_t));
    for (int i = 0; i < n; i++)
        a[i] = (uint32_t)i * 2246822519u >> 20;

    double start = now();
    for (int r = 0; r < rounds; r++)
        inclusive_scan(a, n);
    exclusive_scan(a, out, starts, n, block);
    double seconds = now() - start;

    report(seconds, checksum_unsigned(a, n) + checksum_unsigned(out, n)
                    + checksum_unsigned(starts, blocks));
    free(a);
    free(out);
    free(starts);
    return 0;
}
