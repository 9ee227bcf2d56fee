/* gemm-int8: a quantised linear layer: int8 activations times int8 weights into int32, then
 * scaled back to int8 with rounding and saturation, a scale for every output.
 * Stresses products of narrow integers that widen, weights whose rows are outputs (both operands
 * contiguous along the sum), float in the middle of integer code. */
// sizes: 64 320 768 | 600 1024 768 | 1800 1024 768
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_int8, int8_t)
DEFINE_CHECKSUM(checksum_int32, int32_t)

static void gemm_s8(int m, int n, int k, const int8_t *a, const int8_t *b, int32_t *c)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            int32_t acc = 0;
            for (int p = 0; p < k; p++)
                acc += (int32_t)a[i * k + p] * (int32_t)b[j * k + p];
            c[i * n + j] = acc;
        }
    }
}

static void requantize(int m, int n, const int32_t *c, const float *scale, const int32_t *bias,
                       int8_t *out)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            int32_t v = c[i * n + j];
            if (bias != NULL)
                v += bias[j];
            float f = (float)v * scale[j];
            f += f < 0.0f ? -0.5f : 0.5f;
            if (f > 127.0f)
                f = 127.0f;
            if (f < -128.0f)
                f = -128.0f;
            out[i * n + j] = (int8_t)f;
        }
    }
}

int main(int argc, char **argv)
{
    int m = 600, n = 1024, k = 768;
    read_sizes(argc, argv, "ROWS OUTPUTS INPUTS", 3, (int *[]){&m, &n, &k});

    size_t na = (size_t)m * k, nb = (size_t)n * k, nc = (size_t)m * n;
    int8_t *a = allocate(na), *b = allocate(nb), *out = allocate(nc);
    int32_t *c = allocate(nc * sizeof(int32_t)), *bias = allocate(n * sizeof(int32_t));
    float *scale = allocate(n * sizeof(float));
    for (size_t p = 0; p < na; p++)
        a[p] = (int8_t)((int)((p * 29 + p / 97) % 255) - 127);
    for (size_t p = 0; p < nb; p++)
        b[p] = (int8_t)((int)((p * 43 + p / 89) % 255) - 127);
    for (int j = 0; j < n; j++) {
        bias[j] = j % 200 - 100;
        scale[j] = 1.0f / (float)(2000 + j);
    }

    double start = now();
    gemm_s8(m, n, k, a, b, c);
    requantize(m, n, c, scale, bias, out);
    double seconds = now() - start;

    report(seconds, checksum_int32(c, nc) + checksum_int8(out, nc));
    free(a);
    free(b);
    free(out);
    free(c);
    free(bias);
    free(scale);
    return 0;
}
