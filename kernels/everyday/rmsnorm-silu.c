/* rmsnorm-silu: two steps of a language model's block on a batch of tokens: rows divided by their
 * root mean square and weighted, then the gate silu(g) * u on halves of a row, added to the input.
 * Stresses size_t counters, pointers bumped from row to row, calls of expf and sqrtf, arrays that
 * are read and written by the same loop. */
// sizes: 1 680 1024 | 40 512 1024 | 120 512 1024
#include <math.h>

#include "common.h"

static void rmsnorm(float *out, const float *x, const float *weight, size_t n)
{
    float ss = 0.0f;
    for (size_t j = 0; j < n; j++)
        ss += x[j] * x[j];
    ss /= (float)n;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (size_t j = 0; j < n; j++)
        out[j] = weight[j] * (ss * x[j]);
}

/* The first half of h is the gate; the result stands in the first half. */
static void silu_gate(float *h, size_t half)
{
    for (size_t i = 0; i < half; i++) {
        float v = h[i];
        v *= 1.0f / (1.0f + expf(-v));
        v *= h[half + i];
        h[i] = v;
    }
}

int main(int argc, char **argv)
{
    int rounds = 40, tokens = 512, width = 1024;
    read_sizes(argc, argv, "ROUNDS TOKENS WIDTH", 3, (int *[]){&rounds, &tokens, &width});
    if (width % 2 != 0)
        usage(argv[0], "ROUNDS TOKENS WIDTH, with an even WIDTH");

    size_t count = (size_t)tokens * width;
    float *x = allocate(count * sizeof(float));
    float *h = allocate(count * sizeof(float));
    float *weight = allocate(width * sizeof(float));
    for (size_t p = 0; p < count; p++)
        x[p] = (float)(p * 61 % 211) / 105.0f - 1.0f;
    for (int j = 0; j < width; j++)
        weight[j] = 0.5f + (float)(j % 7) / 7.0f;

    double start = now();
    for (int r = 0; r < rounds; r++) {
        float *in = x, *work = h;
        for (int t = 0; t < tokens; t++) {
            rmsnorm(work, in, weight, width);
            silu_gate(work, width / 2);
            for (int j = 0; j < width / 2; j++)
                in[j] += 0.25f * work[j];
            in += width;
            work += width;
        }
    }
    double seconds = now() - start;

    report(seconds, checksum_float(x, count) + checksum_float(h, count));
    free(x);
    free(h);
    free(weight);
    return 0;
}
