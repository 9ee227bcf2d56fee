/* sobel: magnitudes of Sobel's gradients of a gray image, their largest value, then an image of
 * bytes scaled by it.
 * Stresses macros for pixels, int gradients from bytes, a maximum of the whole image between two
 * passes, a border that is written by loops of its own. */
// sizes: 1 480 1200 | 16 900 1200 | 48 900 1200
#include <math.h>
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

#define PIXEL(y, x) in[(size_t)(y) * w + (x)]

static float magnitudes(const uint8_t *in, float *mag, size_t h, size_t w)
{
    float top = 0.0f;
    for (size_t x = 0; x < w; x++)
        mag[x] = mag[(h - 1) * w + x] = 0.0f;
    for (size_t y = 0; y < h; y++)
        mag[y * w] = mag[y * w + w - 1] = 0.0f;
    for (size_t y = 1; y + 1 < h; y++) {
        for (size_t x = 1; x + 1 < w; x++) {
            int gx = PIXEL(y - 1, x + 1) + 2 * PIXEL(y, x + 1) + PIXEL(y + 1, x + 1)
                     - PIXEL(y - 1, x - 1) - 2 * PIXEL(y, x - 1) - PIXEL(y + 1, x - 1);
            int gy = PIXEL(y + 1, x - 1) + 2 * PIXEL(y + 1, x) + PIXEL(y + 1, x + 1)
                     - PIXEL(y - 1, x - 1) - 2 * PIXEL(y - 1, x) - PIXEL(y - 1, x + 1);
            float m = sqrtf((float)(gx * gx + gy * gy));
            mag[y * w + x] = m;
            if (m > top)
                top = m;
        }
    }
    return top;
}

static void to_bytes(const float *mag, uint8_t *out, size_t count, float top)
{
    const float scale = top > 0.0f ? 255.0f / top : 0.0f;
    for (size_t p = 0; p < count; p++)
        out[p] = (uint8_t)(mag[p] * scale);
}

int main(int argc, char **argv)
{
    int rounds = 16, h = 900, w = 1200;
    read_sizes(argc, argv, "ROUNDS HEIGHT WIDTH", 3, (int *[]){&rounds, &h, &w});

    size_t count = (size_t)h * w;
    uint8_t *image = allocate(count);
    float *mag = allocate(count * sizeof(float));
    for (size_t p = 0; p < count; p++)
        image[p] = (uint8_t)(p * 67 / 64 % 256);

    double start = now();
    float top = 0.0f;
    for (int r = 0; r < rounds; r++) {
        top = magnitudes(image, mag, h, w);
        to_bytes(mag, image, count, top);
    }
    double seconds = now() - start;

    report(seconds, top + checksum_byte(image, count) + checksum_float(mag, count));
    free(image);
    free(mag);
    return 0;
}
