/* attention-heads: causal attention of several heads over one sequence. Queries, keys and values
 * of all heads stand in one array, token after token, as the projection before it wrote them.
 * Stresses pointers into the middle of a flat array that are set anew in loops, a maximum by `if`,
 * a triangular domain, calls of expf, and a row of scores that every head uses again and again. */
// sizes: 117 8 64 | 640 8 64 | 1110 8 64
#include <math.h>

#include "common.h"

/* The softmax of one row, in place. */
static void softmax_row(float *row, int count)
{
    float top = row[0];
    for (int i = 1; i < count; i++)
        if (row[i] > top)
            top = row[i];
    float total = 0.0f;
    for (int i = 0; i < count; i++) {
        row[i] = expf(row[i] - top);
        total += row[i];
    }
    for (int i = 0; i < count; i++)
        row[i] /= total;
}

/* qkv: tokens x 3 x heads x size. scores: heads x tokens, the last token's are left in it. */
static void attention(float *out, float *scores, const float *qkv, int tokens, int heads, int size)
{
    const int width = heads * size;
    const float scale = 1.0f / sqrtf((float)size);

    for (int h = 0; h < heads; h++) {
        float *s = scores + h * tokens;
        for (int t = 0; t < tokens; t++) {
            const float *q = qkv + t * 3 * width + h * size;
            for (int u = 0; u <= t; u++) {
                const float *k = qkv + u * 3 * width + width + h * size;
                float dot = 0.0f;
                for (int i = 0; i < size; i++)
                    dot += q[i] * k[i];
                s[u] = dot * scale;
            }
            softmax_row(s, t + 1);

            float *o = out + t * width + h * size;
            for (int i = 0; i < size; i++)
                o[i] = 0.0f;
            for (int u = 0; u <= t; u++) {
                const float *v = qkv + u * 3 * width + 2 * width + h * size;
                const float p = s[u];
                for (int i = 0; i < size; i++)
                    o[i] += p * v[i];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int tokens = 640, heads = 8, size = 64;
    read_sizes(argc, argv, "TOKENS HEADS SIZE", 3, (int *[]){&tokens, &heads, &size});

    int width = heads * size;
    size_t inputs = (size_t)tokens * 3 * width;
    float *qkv = allocate(inputs * sizeof(float));
    float *scores = allocate((size_t)heads * tokens * sizeof(float));
    float *out = allocate((size_t)tokens * width * sizeof(float));
    for (size_t p = 0; p < inputs; p++)
        qkv[p] = (float)((p * 7919 + p / 31) % 201) / 50.0f - 2.0f;

    double start = now();
    attention(out, scores, qkv, tokens, heads, size);
    double seconds = now() - start;

    report(seconds, checksum_float(out, (size_t)tokens * width)
                    + checksum_float(scores, (size_t)heads * tokens));
    free(qkv);
    free(scores);
    free(out);
    return 0;
}
