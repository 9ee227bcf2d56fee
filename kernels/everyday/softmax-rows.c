/* softmax-rows: the softmax of every row of a matrix, with an optional mask that is added first.
 * Stresses row pointers declared in the loop, a maximum by `if`, a NULL test within the loop and
 * three passes over a row through one scalar each. */
// sizes: 160 1000 | 4800 1000 | 14400 1000
#include <math.h>

#include "common.h"

static void softmax(float *out, const float *in, const float *mask, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        const float *x = in + (size_t)r * cols;
        float *y = out + (size_t)r * cols;

        float biggest = -INFINITY;
        for (int c = 0; c < cols; c++) {
            y[c] = x[c];
            if (mask != NULL)
                y[c] += mask[c];
            if (y[c] > biggest)
                biggest = y[c];
        }

        float sum = 0.0f;
        for (int c = 0; c < cols; c++) {
            y[c] = expf(y[c] - biggest);
            sum += y[c];
        }

        float inverse = 1.0f / sum;
        for (int c = 0; c < cols; c++)
            y[c] *= inverse;
    }
}

int main(int argc, char **argv)
{
    int rows = 4800, cols = 1000;
    read_sizes(argc, argv, "ROWS COLS", 2, (int *[]){&rows, &cols});

    size_t count = (size_t)rows * cols;
    float *in = allocate(count * sizeof(float));
    float *mask = allocate(cols * sizeof(float));
    float *plain = allocate(count * sizeof(float));
    float *masked = allocate(count * sizeof(float));
    for (size_t p = 0; p < count; p++)
        in[p] = (float)((p * 31 + p / 17) % 97) / 12.0f;
    for (int c = 0; c < cols; c++)
        mask[c] = c % 5 == 3 ? -1000.0f : 0.0f;

    double start = now();
    softmax(plain, in, NULL, rows, cols);
    softmax(masked, in, mask, rows, cols);
    double seconds = now() - start;

    report(seconds, checksum_float(plain, count) + 3.0 * checksum_float(masked, count));
    free(in);
    free(mask);
    free(plain);
    free(masked);
    return 0;
}
