/* maxpool: max pooling 3 x 3 with stride 2 and a border that does not count, which remembers where
 * each maximum was, and its gradient, which adds to those places.
 * Stresses a maximum together with its place by `if`, guards at the border, a[idx[i]] += x,
 * channels by row pointers. */
// sizes: 2 20 112 112 | 20 64 112 112 | 60 64 112 112
#include <float.h>
#include <string.h>

#include "common.h"

static void maxpool(const float *in, float *out, int *where, int channels, int h, int w)
{
    const int oh = (h + 1) / 2, ow = (w + 1) / 2;
    for (int c = 0; c < channels; c++) {
        const float *plane = in + c * h * w;
        for (int y = 0; y < oh; y++) {
            for (int x = 0; x < ow; x++) {
                float best = -FLT_MAX;
                int place = -1;
                for (int ky = 0; ky < 3; ky++) {
                    for (int kx = 0; kx < 3; kx++) {
                        int iy = 2 * y - 1 + ky, ix = 2 * x - 1 + kx;
                        if (iy >= 0 && iy < h && ix >= 0 && ix < w) {
                            float v = plane[iy * w + ix];
                            if (v > best) {
                                best = v;
                                place = iy * w + ix;
                            }
                        }
                    }
                }
                out[(c * oh + y) * ow + x] = best;
                where[(c * oh + y) * ow + x] = place;
            }
        }
    }
}

static void maxpool_backward(const float *dout, const int *where, float *din, int channels, int h, int w)
{
    const int outputs = ((h + 1) / 2) * ((w + 1) / 2);
    memset(din, 0, (size_t)channels * h * w * sizeof(float));
    for (int c = 0; c < channels; c++)
        for (int p = 0; p < outputs; p++)
            din[c * h * w + where[c * outputs + p]] += dout[c * outputs + p];
}

int main(int argc, char **argv)
{
    int rounds = 20, channels = 64, h = 112, w = 112;
    read_sizes(argc, argv, "ROUNDS CHANNELS H W", 4, (int *[]){&rounds, &channels, &h, &w});

    size_t inputs = (size_t)channels * h * w;
    size_t outputs = (size_t)channels * ((h + 1) / 2) * ((w + 1) / 2);
    float *x = allocate(inputs * sizeof(float));
    float *dx = allocate(inputs * sizeof(float));
    float *y = allocate(outputs * sizeof(float));
    int *where = allocate(outputs * sizeof(int));
    for (size_t p = 0; p < inputs; p++)
        x[p] = (float)((p * 2654435761u >> 9) % 1000) / 500.0f - 1.0f;

    double start = now();
    for (int r = 0; r < rounds; r++) {
        maxpool(x, y, where, channels, h, w);
        maxpool_backward(y, where, dx, channels, h, w);
        for (size_t p = 0; p < inputs; p++)
            x[p] -= 0.125f * dx[p];
    }
    double seconds = now() - start;

    report(seconds, checksum_float(x, inputs) + checksum_float(dx, inputs)
                    + checksum_float(y, outputs) + checksum_int(where, outputs));
    free(x);
    free(dx);
    free(y);
    free(where);
    return 0;
}
