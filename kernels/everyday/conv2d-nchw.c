/* conv2d-nchw: a convolution layer, images and channels outermost, with padding, a stride, an
 * optional bias and an activation; two layers one after the other.
 * Stresses guards against the border inside of six loops (`continue`), flat subscripts with four
 * dimensions, a struct of parameters read in the innermost loop. */
// sizes: 1 3 16 24 32 | 3 8 32 64 64 | 9 8 32 64 64
#include "common.h"

typedef struct {
    int in_channels, out_channels, kernel, stride, pad;
    const float *weight; /* out x in x kernel x kernel */
    const float *bias;   /* out, or NULL */
} conv;

typedef struct {
    int n, c, h, w;
    float *data;
} tensor;

static void conv_forward(const conv *l, const tensor *in, tensor *out)
{
    for (int n = 0; n < out->n; n++) {
        for (int o = 0; o < out->c; o++) {
            for (int y = 0; y < out->h; y++) {
                for (int x = 0; x < out->w; x++) {
                    float sum = l->bias != NULL ? l->bias[o] : 0.0f;
                    for (int c = 0; c < in->c; c++) {
                        for (int ky = 0; ky < l->kernel; ky++) {
                            int iy = y * l->stride + ky - l->pad;
                            if (iy < 0 || iy >= in->h)
                                continue;
                            for (int kx = 0; kx < l->kernel; kx++) {
                                int ix = x * l->stride + kx - l->pad;
                                if (ix < 0 || ix >= in->w)
                                    continue;
                                sum += in->data[((n * in->c + c) * in->h + iy) * in->w + ix]
                                       * l->weight[((o * in->c + c) * l->kernel + ky) * l->kernel + kx];
                            }
                        }
                    }
                    out->data[((n * out->c + o) * out->h + y) * out->w + x] = sum > 0.0f ? sum : 0.0f;
                }
            }
        }
    }
}

static tensor new_tensor(int n, int c, int h, int w)
{
    tensor t = {n, c, h, w, allocate((size_t)n * c * h * w * sizeof(float))};
    return t;
}

static float *new_weights(int count)
{
    float *w = allocate(count * sizeof(float));
    for (int p = 0; p < count; p++)
        w[p] = (float)(p * 37 % 59) / 177.0f - 1.0f / 6.0f;
    return w;
}

int main(int argc, char **argv)
{
    int n = 3, c = 8, o = 32, h = 64, w = 64;
    read_sizes(argc, argv, "N C O H W", 5, (int *[]){&n, &c, &o, &h, &w});

    tensor in = new_tensor(n, c, h, w);
    tensor mid = new_tensor(n, o, h, w);
    tensor out = new_tensor(n, o, (h + 1) / 2, (w + 1) / 2);
    float *weight1 = new_weights(o * c * 9);
    float *weight2 = new_weights(o * o * 9);
    float *bias = new_weights(o);
    for (int p = 0; p < n * c * h * w; p++)
        in.data[p] = (float)(p % 251) / 251.0f;
    conv first = {c, o, 3, 1, 1, weight1, bias};
    conv second = {o, o, 3, 2, 1, weight2, NULL};

    double start = now();
    conv_forward(&first, &in, &mid);
    conv_forward(&second, &mid, &out);
    double seconds = now() - start;

    report(seconds, checksum_float(mid.data, (size_t)n * o * h * w)
                    + checksum_float(out.data, (size_t)n * o * out.h * out.w));
    free(in.data);
    free(mid.data);
    free(out.data);
    free(weight1);
    free(weight2);
    free(bias);
    return 0;
}
