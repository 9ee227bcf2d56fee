/* resize-bilinear: an image of interleaved colours is resized by bilinear interpolation.
 * Stresses positions computed in floating point and cast to int, clamps by `if`, a helper that
 * interpolates, and subscripts that depend on data. */
// sizes: 180 260 240 360 3 | 1000 1400 1300 2000 3 | 1730 2420 2250 3470 3
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

static float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

static void resize(const uint8_t *src, int sw, int sh, uint8_t *dst, int dw, int dh, int channels)
{
    const float step_x = (float)sw / (float)dw;
    const float step_y = (float)sh / (float)dh;
    for (int y = 0; y < dh; y++) {
        float fy = ((float)y + 0.5f) * step_y - 0.5f;
        if (fy < 0.0f)
            fy = 0.0f;
        int y0 = (int)fy;
        if (y0 > sh - 1)
            y0 = sh - 1;
        int y1 = y0 + 1 < sh ? y0 + 1 : y0;
        float ty = fy - (float)y0;
        for (int x = 0; x < dw; x++) {
            float fx = ((float)x + 0.5f) * step_x - 0.5f;
            if (fx < 0.0f)
                fx = 0.0f;
            int x0 = (int)fx;
            if (x0 > sw - 1)
                x0 = sw - 1;
            int x1 = x0 + 1 < sw ? x0 + 1 : x0;
            float tx = fx - (float)x0;
            for (int c = 0; c < channels; c++) {
                float above = mix(src[(y0 * sw + x0) * channels + c],
                                  src[(y0 * sw + x1) * channels + c], tx);
                float below = mix(src[(y1 * sw + x0) * channels + c],
                                  src[(y1 * sw + x1) * channels + c], tx);
                float value = mix(above, below, ty) + 0.5f;
                if (value > 255.0f)
                    value = 255.0f;
                if (value < 0.0f)
                    value = 0.0f;
                dst[(y * dw + x) * channels + c] = (uint8_t)value;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int sh = 1000, sw = 1400, dh = 1300, dw = 2000, channels = 3;
    read_sizes(argc, argv, "H W NEW_H NEW_W CHANNELS", 5, (int *[]){&sh, &sw, &dh, &dw, &channels});

    size_t old_count = (size_t)sh * sw * channels, new_count = (size_t)dh * dw * channels;
    uint8_t *src = allocate(old_count);
    uint8_t *dst = allocate(new_count);
    uint8_t *back = allocate(old_count);
    for (size_t p = 0; p < old_count; p++)
        src[p] = (uint8_t)((p * 59 + p / 43) % 256);

    double start = now();
    resize(src, sw, sh, dst, dw, dh, channels);
    resize(dst, dw, dh, back, sw, sh, channels);
    double seconds = now() - start;

    report(seconds, checksum_byte(dst, new_count) + checksum_byte(back, old_count));
    free(src);
    free(dst);
    free(back);
    return 0;
}
