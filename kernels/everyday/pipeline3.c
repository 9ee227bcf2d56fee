/* pipeline3: an image pipeline of three stages in three functions: bytes are scaled to floats,
 * convolved with a 3 x 3 kernel (the border stays as it is), and compared with a threshold.
 * Stresses fusion across calls, bytes and floats, size_t counters, a table of weights. */
// sizes: 1 500 800 | 8 1000 1500 | 24 1000 1500
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

static void scale(const uint8_t *in, float *out, size_t count, float gain, float offset)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] * gain + offset;
}

static void convolve3x3(const float *in, float *out, size_t h, size_t w, const float k[9])
{
    for (size_t y = 0; y < h; y++) {
        for (size_t x = 0; x < w; x++) {
            if (y == 0 || y == h - 1 || x == 0 || x == w - 1) {
                out[y * w + x] = in[y * w + x];
                continue;
            }
            float sum = 0.0f;
            for (size_t dy = 0; dy < 3; dy++)
                for (size_t dx = 0; dx < 3; dx++)
                    sum += k[dy * 3 + dx] * in[(y + dy - 1) * w + (x + dx - 1)];
            out[y * w + x] = sum;
        }
    }
}

static void threshold(const float *in, uint8_t *out, size_t count, float limit)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = 0;
        if (in[i] > limit)
            out[i] = 255;
    }
}

int main(int argc, char **argv)
{
    int frames = 8, h = 1000, w = 1500;
    read_sizes(argc, argv, "FRAMES HEIGHT WIDTH", 3, (int *[]){&frames, &h, &w});

    size_t count = (size_t)h * w;
    uint8_t *in = allocate(frames * count);
    uint8_t *out = allocate(frames * count);
    float *scaled = allocate(count * sizeof(float));
    float *smooth = allocate(count * sizeof(float));
    const float k[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};
    for (size_t p = 0; p < frames * count; p++)
        in[p] = (uint8_t)((p * 37 + p / 61) % 256);

    double start = now();
    for (int f = 0; f < frames; f++) {
        scale(in + f * count, scaled, count, 1.0f / 255.0f, 0.01f);
        convolve3x3(scaled, smooth, h, w, k);
        threshold(smooth, out + f * count, count, 0.5f);
    }
    double seconds = now() - start;

    report(seconds, checksum_byte(out, frames * count) + checksum_float(scaled, count)
                    + checksum_float(smooth, count));
    free(in);
    free(out);
    free(scaled);
    free(smooth);
    return 0;
}
