/* layernorm: layer normalisation, out = (x - mean) rstd weight + bias along the last dimension;
 * mean and 1 / standard deviation of every token are kept for the backward pass.
 * Stresses two reductions and a map over a row that is a pointer of the loop, and optional arrays
 * (weight, bias, the kept means) that are compared with NULL in the loops. */
// sizes: 8 64 384 | 8 2000 384 | 24 2000 384
#include <math.h>

#include "common.h"

static void layernorm_forward(float *out, float *mean, float *rstd, const float *in,
                              const float *weight, const float *bias, int B, int T, int C)
{
    const float eps = 1e-5f;
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *x = in + (b * T + t) * C;
            float *y = out + (b * T + t) * C;

            float m = 0.0f;
            for (int i = 0; i < C; i++)
                m += x[i];
            m /= (float)C;

            float v = 0.0f;
            for (int i = 0; i < C; i++) {
                float d = x[i] - m;
                v += d * d;
            }
            v /= (float)C;

            float s = 1.0f / sqrtf(v + eps);
            for (int i = 0; i < C; i++) {
                float n = (x[i] - m) * s;
                if (weight != NULL)
                    n *= weight[i];
                if (bias != NULL)
                    n += bias[i];
                y[i] = n;
            }

            if (mean != NULL && rstd != NULL) {
                mean[b * T + t] = m;
                rstd[b * T + t] = s;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int b = 8, t = 2000, c = 384;
    read_sizes(argc, argv, "BATCH TOKENS CHANNELS", 3, (int *[]){&b, &t, &c});

    size_t rows = (size_t)b * t;
    float *in = allocate(rows * c * sizeof(float));
    float *first = allocate(rows * c * sizeof(float));
    float *second = allocate(rows * c * sizeof(float));
    float *mean = allocate(rows * sizeof(float));
    float *rstd = allocate(rows * sizeof(float));
    float *weight = allocate(c * sizeof(float));
    float *bias = allocate(c * sizeof(float));
    for (size_t p = 0; p < rows * c; p++)
        in[p] = (float)((p * 13 + p / 7) % 101) / 25.0f - 1.5f;
    for (int i = 0; i < c; i++) {
        weight[i] = 0.5f + (float)(i % 9) / 9.0f;
        bias[i] = (float)(i % 4) / 4.0f;
    }

    double start = now();
    layernorm_forward(first, mean, rstd, in, weight, bias, b, t, c);
    layernorm_forward(second, NULL, NULL, first, NULL, NULL, b, t, c);
    double seconds = now() - start;

    report(seconds, checksum_float(first, rows * c) + checksum_float(second, rows * c)
                    + checksum_float(mean, rows) + checksum_float(rstd, rows));
    free(in);
    free(first);
    free(second);
    free(mean);
    free(rstd);
    free(weight);
    free(bias);
    return 0;
}
