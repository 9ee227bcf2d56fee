/* linear-bias: two linear layers with an activation between them; the first has a bias, the
 * second has none (a NULL pointer).
 * Stresses `if (bias != NULL)` inside of loops, row pointers declared in loops, weights whose rows
 * are outputs, an activation chosen by an enum. */
// sizes: 32 160 320 | 128 512 1024 | 128 900 1750
#include "common.h"

enum activation { NONE, RELU };

struct layer {
    int inputs, outputs;
    const float *weight; /* outputs x inputs */
    const float *bias;   /* one for each output, or NULL */
    enum activation act;
};

static void layer_forward(const struct layer *l, const float *x, float *y, int rows)
{
    for (int r = 0; r < rows; r++) {
        const float *in = x + r * l->inputs;
        float *out = y + r * l->outputs;
        for (int o = 0; o < l->outputs; o++) {
            const float *w = l->weight + o * l->inputs;
            float sum = 0.0f;
            if (l->bias != NULL)
                sum = l->bias[o];
            for (int i = 0; i < l->inputs; i++)
                sum += in[i] * w[i];
            if (l->act == RELU && sum < 0.0f)
                sum = 0.0f;
            out[o] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    int rows = 128, inputs = 512, hidden = 1024;
    read_sizes(argc, argv, "ROWS INPUTS HIDDEN", 3, (int *[]){&rows, &inputs, &hidden});

    size_t weights = (size_t)hidden * inputs;
    float *x = allocate((size_t)rows * inputs * sizeof(float));
    float *h = allocate((size_t)rows * hidden * sizeof(float));
    float *y = allocate((size_t)rows * inputs * sizeof(float));
    float *w1 = allocate(weights * sizeof(float));
    float *w2 = allocate(weights * sizeof(float));
    float *b1 = allocate(hidden * sizeof(float));
    for (size_t p = 0; p < (size_t)rows * inputs; p++)
        x[p] = (float)(p * 23 % 89) / 89.0f - 0.5f;
    for (size_t p = 0; p < weights; p++) {
        w1[p] = (float)(p * 31 % 127) / 127.0f - 0.5f;
        w2[p] = (float)(p * 47 % 131) / 131.0f - 0.5f;
    }
    for (int o = 0; o < hidden; o++)
        b1[o] = (float)(o % 9 - 4) / 8.0f;

    struct layer up = {inputs, hidden, w1, b1, RELU};
    struct layer down = {hidden, inputs, w2, NULL, NONE};
    double start = now();
    layer_forward(&up, x, h, rows);
    layer_forward(&down, h, y, rows);
    double seconds = now() - start;

    report(seconds, checksum_float(h, (size_t)rows * hidden)
                    + checksum_float(y, (size_t)rows * inputs));
    free(x);
    free(h);
    free(y);
    free(w1);
    free(w2);
    free(b1);
    return 0;
}
