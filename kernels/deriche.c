/* deriche: Deriche's recursive smoothing filter, an exponential of width 1/ALPHA applied by a
 * forward and a backward second-order recurrence along each row, then along each column.
 * Stresses recurrences through scalars in both directions, sums of two passes, and float data. */
#include <math.h>

#include "common.h"

#ifndef W
#define W 2200
#endif
#ifndef H
#define H 2000
#endif
#ifndef ALPHA
#define ALPHA 0.25f
#endif

static void init(int w, int h, float image[w][h])
{
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            image[i][j] = (float)((31 * i + 17 * j) % 256) / 255.0f;
}

static void kernel_deriche(int w, int h, float alpha, float image[w][h], float out[w][h],
                           float ahead[w][h], float back[w][h])
{
#pragma scop
    float e = expf(-alpha);
    float gain = (1.0f - e) * (1.0f - e) / (1.0f + 2.0f * alpha * e - e * e);
    float a1 = gain, a2 = gain * e * (alpha - 1.0f);
    float a3 = gain * e * (alpha + 1.0f), a4 = -gain * e * e;
    float b1 = 2.0f * e, b2 = -e * e;

    for (int i = 0; i < w; i++) {
        float y1 = 0.0f, y2 = 0.0f, x1 = 0.0f;
        for (int j = 0; j < h; j++) {
            ahead[i][j] = a1 * image[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = image[i][j];
            y2 = y1;
            y1 = ahead[i][j];
        }
    }
    for (int i = 0; i < w; i++) {
        float y1 = 0.0f, y2 = 0.0f, x1 = 0.0f, x2 = 0.0f;
        for (int j = h - 1; j >= 0; j--) {
            back[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = image[i][j];
            y2 = y1;
            y1 = back[i][j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out[i][j] = ahead[i][j] + back[i][j];

    for (int j = 0; j < h; j++) {
        float y1 = 0.0f, y2 = 0.0f, x1 = 0.0f;
        for (int i = 0; i < w; i++) {
            ahead[i][j] = a1 * out[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = out[i][j];
            y2 = y1;
            y1 = ahead[i][j];
        }
    }
    for (int j = 0; j < h; j++) {
        float y1 = 0.0f, y2 = 0.0f, x1 = 0.0f, x2 = 0.0f;
        for (int i = w - 1; i >= 0; i--) {
            back[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = out[i][j];
            y2 = y1;
            y1 = back[i][j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out[i][j] = ahead[i][j] + back[i][j];
#pragma endscop
}

int main(int argc, char **argv)
{
    int w = W, h = H;
    read_sizes(argc, argv, "W H", 2, (int *[]){&w, &h});

    float (*image)[h] = allocate(sizeof(float[w][h]));
    float (*out)[h] = allocate(sizeof(float[w][h]));
    float (*ahead)[h] = allocate(sizeof(float[w][h]));
    float (*back)[h] = allocate(sizeof(float[w][h]));
    init(w, h, image);

    double start = now();
    kernel_deriche(w, h, ALPHA, image, out, ahead, back);
    double seconds = now() - start;

    report(seconds, checksum_float(&out[0][0], (size_t)w * h));
    free(image);
    free(out);
    free(ahead);
    free(back);
    return 0;
}
