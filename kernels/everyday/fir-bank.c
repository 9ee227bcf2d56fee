/* fir-bank: a bank of finite impulse response filters, every channel with taps of its own; the
 * signal is taken to be zero before its beginning.
 * Stresses an array of structs that hold pointers, a guard `if (t > i) break;` in a short loop,
 * and a double accumulator for float data. */
// sizes: 16 2000 64 | 16 60000 64 | 16 180000 64
#include "common.h"

struct fir {
    int taps;
    const float *coefficient;
};

static void fir_run(const struct fir *f, const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        double acc = 0.0;
        for (int t = 0; t < f->taps; t++) {
            if (t > i)
                break;
            acc += f->coefficient[t] * x[i - t];
        }
        y[i] = (float)acc;
    }
}

static void bank_run(const struct fir *bank, int channels, const float *x, float *y, int n)
{
    for (int c = 0; c < channels; c++)
        fir_run(&bank[c], x, y + (size_t)c * n, n);
}

int main(int argc, char **argv)
{
    int channels = 16, n = 60000, taps = 64;
    read_sizes(argc, argv, "CHANNELS SAMPLES TAPS", 3, (int *[]){&channels, &n, &taps});

    float *x = allocate(n * sizeof(float));
    float *y = allocate((size_t)channels * n * sizeof(float));
    float *h = allocate((size_t)channels * taps * sizeof(float));
    struct fir *bank = allocate(channels * sizeof(struct fir));
    for (int i = 0; i < n; i++)
        x[i] = (float)(i * 19 % 127 - 63) / 64.0f;
    for (int c = 0; c < channels; c++) {
        for (int t = 0; t < taps; t++)
            h[c * taps + t] = (float)((t + 1) * (c + 3) % 23 - 11) / (float)(11 * taps);
        bank[c].taps = taps;
        bank[c].coefficient = h + c * taps;
    }

    double start = now();
    bank_run(bank, channels, x, y, n);
    double seconds = now() - start;

    report(seconds, checksum_float(y, (size_t)channels * n));
    free(x);
    free(y);
    free(h);
    free(bank);
    return 0;
}
