/* layernorm-backward: gradients of a layer normalisation from the stored means and reciprocal
 * deviations: of the input, row by row, and of weight and bias, summed over all rows.
 * Stresses sums over columns into arrays beside sums over rows into scalars, row pointers in a
 * doubly nested loop, `+=` on everything. */
// sizes: 1 16 90 384 | 12 16 256 768 | 36 16 256 768
#include <math.h>

#include "common.h"

static void layernorm_backward(float *dx, float *dweight, float *dbias, const float *dout,
                               const float *x, const float *weight, const float *mean,
                               const float *rstd, int batch, int tokens, int width)
{
    for (int b = 0; b < batch; b++) {
        for (int t = 0; t < tokens; t++) {
            const float *d = dout + (b * tokens + t) * width;
            const float *row = x + (b * tokens + t) * width;
            float *g = dx + (b * tokens + t) * width;
            float m = mean[b * tokens + t];
            float r = rstd[b * tokens + t];

            float d_mean = 0.0f, d_dot = 0.0f;
            for (int i = 0; i < width; i++) {
                float n = (row[i] - m) * r;
                float dn = weight[i] * d[i];
                d_mean += dn;
                d_dot += dn * n;
            }
            d_mean /= width;
            d_dot /= width;

            for (int i = 0; i < width; i++) {
                float n = (row[i] - m) * r;
                dbias[i] += d[i];
                dweight[i] += n * d[i];
                float v = weight[i] * d[i];
                v -= d_mean;
                v -= n * d_dot;
                v *= r;
                g[i] += v;
            }
        }
    }
}

static void moments(const float *x, float *mean, float *rstd, int rows, int width)
{
    for (int r = 0; r < rows; r++) {
        const float *row = x + r * width;
        float m = 0.0f, v = 0.0f;
        for (int i = 0; i < width; i++)
            m += row[i];
        m /= width;
        for (int i = 0; i < width; i++)
            v += (row[i] - m) * (row[i] - m);
        mean[r] = m;
        rstd[r] = 1.0f / sqrtf(v / width + 1e-5f);
    }
}

int main(int argc, char **argv)
{
    int rounds = 12, batch = 16, tokens = 256, width = 768;
    read_sizes(argc, argv, "ROUNDS BATCH TOKENS WIDTH", 4,
               (int *[]){&rounds, &batch, &tokens, &width});

    int rows = batch * tokens;
    size_t count = (size_t)rows * width;
    float *x = allocate(count * sizeof(float));
    float *dx = allocate(count * sizeof(float));
    float *dout = allocate(count * sizeof(float));
    float *weight = allocate(width * sizeof(float));
    float *dweight = allocate(width * sizeof(float));
    float *dbias = allocate(width * sizeof(float));
    float *mean = allocate(rows * sizeof(float));
    float *rstd = allocate(rows * sizeof(float));
    for (size_t p = 0; p < count; p++) {
        x[p] = (float)(p * 83 % 241) / 120.0f - 1.0f;
        dout[p] = (float)(p * 29 % 199) / 199.0f - 0.5f;
        dx[p] = 0.0f;
    }
    for (int i = 0; i < width; i++) {
        weight[i] = 0.5f + (float)(i % 5) / 5.0f;
        dweight[i] = dbias[i] = 0.0f;
    }

    double start = now();
    moments(x, mean, rstd, rows, width);
    for (int r = 0; r < rounds; r++)
        layernorm_backward(dx, dweight, dbias, dout, x, weight, mean, rstd, batch, tokens, width);
    double seconds = now() - start;

    report(seconds, checksum_float(dx, count) + checksum_float(dweight, width)
                    + checksum_float(dbias, width));
    free(x);
    free(dx);
    free(dout);
    free(weight);
    free(dweight);
    free(dbias);
    free(mean);
    free(rstd);
    return 0;
}
