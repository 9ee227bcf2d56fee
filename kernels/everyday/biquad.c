/* biquad: an equaliser: chains of second-order recursive filters over several channels of
 * interleaved sound, float samples with states in double; then the peak of each channel.
 * Stresses recurrences in scalars that are loaded from a struct and stored back, stride by the
 * number of channels, filters outside of samples, a peak by `if`. */
// sizes: 4 6 27000 | 4 6 800000 | 4 6 2400000
#include "common.h"

typedef struct {
    double b0, b1, b2, a1, a2;
} biquad;

typedef struct {
    double z1, z2;
} state;

static void filter(const biquad *f, state *s, float *samples, int channels, int frames)
{
    double z1 = s->z1, z2 = s->z2;
    for (int i = 0; i < frames; i++) {
        double x = samples[i * channels];
        double y = f->b0 * x + z1;
        z1 = f->b1 * x - f->a1 * y + z2;
        z2 = f->b2 * x - f->a2 * y;
        samples[i * channels] = (float)y;
    }
    s->z1 = z1;
    s->z2 = z2;
}

static float peak(const float *samples, int channels, int frames)
{
    float top = 0.0f;
    for (int i = 0; i < frames; i++) {
        float v = samples[i * channels];
        if (v < 0.0f)
            v = -v;
        if (v > top)
            top = v;
    }
    return top;
}

int main(int argc, char **argv)
{
    int channels = 4, bands = 6, frames = 800000;
    read_sizes(argc, argv, "CHANNELS BANDS FRAMES", 3, (int *[]){&channels, &bands, &frames});

    size_t count = (size_t)channels * frames;
    float *samples = allocate(count * sizeof(float));
    biquad *eq = allocate(bands * sizeof(biquad));
    state *states = allocate((size_t)channels * bands * sizeof(state));
    float *peaks = allocate(channels * sizeof(float));
    for (size_t p = 0; p < count; p++)
        samples[p] = (float)(p * 7919 % 2001) / 1000.0f - 1.0f;
    for (int f = 0; f < bands; f++) {
        biquad q = {0.95 - 0.01 * f, -1.2 + 0.1 * f, 0.6, -1.1 + 0.1 * f, 0.5 + 0.02 * f};
        eq[f] = q;
    }
    for (int p = 0; p < channels * bands; p++)
        states[p].z1 = states[p].z2 = 0.0;

    double start = now();
    for (int c = 0; c < channels; c++) {
        for (int f = 0; f < bands; f++)
            filter(&eq[f], &states[c * bands + f], samples + c, channels, frames);
        peaks[c] = peak(samples + c, channels, frames);
    }
    double seconds = now() - start;

    report(seconds, checksum_float(samples, count) + checksum_float(peaks, channels)
                    + checksum_double(&states[0].z1, (size_t)channels * bands * 2));
    free(samples);
    free(eq);
    free(states);
    free(peaks);
    return 0;
}
