/* fft-stages: fast Fourier transforms of rows of 2^LOG complex numbers, in place: reversal of the
 * bits, then butterflies stage by stage with a table of roots; forward, then backward.
 * Stresses loops whose step is a variable that doubles, strided look-ups of a table, a struct of
 * pointers that is passed by value, a `while` loop on bits. */
// sizes: 20 10 | 40 15 | 30 17
#include <math.h>

#include "common.h"

struct cplx_array {
    double *re, *im;
};

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

static void bit_reverse(struct cplx_array x, int n)
{
    int j = 0;
    for (int i = 0; i < n - 1; i++) {
        if (i < j) {
            swap(&x.re[i], &x.re[j]);
            swap(&x.im[i], &x.im[j]);
        }
        int bit = n / 2;
        while (j & bit) {
            j -= bit;
            bit /= 2;
        }
        j += bit;
    }
}

/* root[k] = exp(-2 pi i k / n); sign: 1 forward, -1 backward. */
static void fft(struct cplx_array x, struct cplx_array root, int n, int sign)
{
    if (n == 1)
        return;
    bit_reverse(x, n);
    for (int half = 1; half < n; half *= 2) {
        int stride = n / (2 * half);
        for (int base = 0; base < n; base += 2 * half) {
            for (int k = 0; k < half; k++) {
                int a = base + k, b = base + k + half;
                double wr = root.re[k * stride];
                double wi = sign * root.im[k * stride];
                double re = x.re[b] * wr - x.im[b] * wi;
                double im = x.re[b] * wi + x.im[b] * wr;
                x.re[b] = x.re[a] - re;
                x.im[b] = x.im[a] - im;
                x.re[a] += re;
                x.im[a] += im;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int rows = 40, log = 15;
    read_sizes(argc, argv, "ROWS LOG", 2, (int *[]){&rows, &log});
    if (log > 26)
        usage(argv[0], "ROWS LOG, with LOG <= 26");

    int n = 1 << log;
    size_t count = (size_t)rows * n;
    struct cplx_array x = {allocate(count * sizeof(double)), allocate(count * sizeof(double))};
    struct cplx_array root = {allocate((n / 2 + 1) * sizeof(double)),
                              allocate((n / 2 + 1) * sizeof(double))};
    for (size_t p = 0; p < count; p++) {
        x.re[p] = (double)(p * 31 % 257) / 128.0 - 1.0;
        x.im[p] = (double)(p * 17 % 127) / 64.0 - 1.0;
    }
    for (int k = 0; k <= n / 2; k++) {
        root.re[k] = cos(6.283185307179586 * k / n);
        root.im[k] = -sin(6.283185307179586 * k / n);
    }

    double start = now();
    for (int r = 0; r < rows; r++) {
        struct cplx_array row = {x.re + (size_t)r * n, x.im + (size_t)r * n};
        fft(row, root, n, 1);
        for (int k = 0; k < n; k++) {
            row.re[k] *= 1.0 / n;
            row.im[k] *= 1.0 / n;
        }
        for (int k = n / 2; k < n; k++)
            row.re[k] = row.im[k] = 0.0;
        fft(row, root, n, -1);
    }
    double seconds = now() - start;

    report(seconds, checksum_double(x.re, count) + checksum_double(x.im, count));
    free(x.re);
    free(x.im);
    free(root.re);
    free(root.im);
    return 0;
}
