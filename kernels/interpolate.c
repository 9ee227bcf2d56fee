/* interpolate: fills the holes of a gray image by multiscale interpolation. A pixel counts as much as its alpha:
 * value times alpha and alpha are averaged down a pyramid of four levels; on the way up, what a level lacks
 * in alpha is taken from the level below it; at last the value is divided by alpha.
 * Stresses a chain of down- and upsampling stages of different sizes: subscripts 2 * i and i / 2. */
#include "common.h"

#ifndef H
#define H 320
#endif
#ifndef W
#define W 340
#endif

/* Level l has h << (3 - l) times w << (3 - l) cells; its points are their corners. The outermost points are outside
 * of the image: their alpha is zero, at every level. Channel 0 is value times alpha, channel 1 alpha. */
static void init(int h, int w, float in[8 * h + 1][8 * w + 1], float alpha[8 * h + 1][8 * w + 1],
                 float d0[2][8 * h + 1][8 * w + 1], float d1[2][4 * h + 1][4 * w + 1],
                 float d2[2][2 * h + 1][2 * w + 1], float d3[2][h + 1][w + 1], float out[8 * h + 1][8 * w + 1])
{
    for (int i = 0; i < 8 * h + 1; i++)
        for (int j = 0; j < 8 * w + 1; j++) {
            in[i][j] = (float)((3 * i + 5 * j) % 97) / 96.0f;
            alpha[i][j] = (i / 3 + j / 5) % 4 == 0 ? 0.0f : (float)((i + j) % 5 + 1) / 5.0f;
            out[i][j] = 0.0f;
        }
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < 8 * h + 1; i++)
            for (int j = 0; j < 8 * w + 1; j++)
                d0[c][i][j] = 0.0f;
        for (int i = 0; i < 4 * h + 1; i++)
            for (int j = 0; j < 4 * w + 1; j++)
                d1[c][i][j] = 0.0f;
        for (int i = 0; i < 2 * h + 1; i++)
            for (int j = 0; j < 2 * w + 1; j++)
                d2[c][i][j] = 0.0f;
        for (int i = 0; i < h + 1; i++)
            for (int j = 0; j < w + 1; j++)
                d3[c][i][j] = 0.0f;
    }
}

static void kernel_interpolate(int h, int w, float in[8 * h + 1][8 * w + 1], float alpha[8 * h + 1][8 * w + 1],
                               float d0[2][8 * h + 1][8 * w + 1], float x0[2][4 * h + 1][8 * w + 1],
                               float d1[2][4 * h + 1][4 * w + 1], float x1[2][2 * h + 1][4 * w + 1],
                               float d2[2][2 * h + 1][2 * w + 1], float x2[2][h + 1][2 * w + 1],
                               float d3[2][h + 1][w + 1], float u2[2][2 * h + 1][2 * w + 1],
                               float u1[2][4 * h + 1][4 * w + 1], float u0[2][8 * h + 1][8 * w + 1],
                               float out[8 * h + 1][8 * w + 1])
{
#pragma scop
    for (int i = 1; i < 8 * h; i++)
        for (int j = 1; j < 8 * w; j++) {
            d0[0][i][j] = in[i][j] * alpha[i][j];
            d0[1][i][j] = alpha[i][j];
        }

    /* Down: every second point, a quarter, a half and a quarter of it and its neighbours, by rows and columns. */
    for (int c = 0; c < 2; c++)
        for (int i = 1; i < 4 * h; i++)
            for (int j = 0; j < 8 * w + 1; j++)
                x0[c][i][j] = 0.25f * d0[c][2 * i - 1][j] + 0.5f * d0[c][2 * i][j] + 0.25f * d0[c][2 * i + 1][j];
    for (int c = 0; c < 2; c++)
        for (int i = 1; i < 4 * h; i++)
            for (int j = 1; j < 4 * w; j++)
                d1[c][i][j] = 0.25f * x0[c][i][2 * j - 1] + 0.5f * x0[c][i][2 * j] + 0.25f * x0[c][i][2 * j + 1];
    for (int c = 0; c < 2; c++)
        for (int i = 1; i < 2 * h; i++)
            for (int j = 0; j < 4 * w + 1; j++)
                x1[c][i][j] = 0.25f * d1[c][2 * i - 1][j] + 0.5f * d1[c][2 * i][j] + 0.25f * d1[c][2 * i + 1][j];
    for (int c = 0; c < 2; c++)
        for (int i = 1; i < 2 * h; i++)
            for (int j = 1; j < 2 * w; j++)
                d2[c][i][j] = 0.25f * x1[c][i][2 * j - 1] + 0.5f * x1[c][i][2 * j] + 0.25f * x1[c][i][2 * j + 1];
    for (int c = 0; c < 2; c++)
        for (int i = 1; i < h; i++)
            for (int j = 0; j < 2 * w + 1; j++)
                x2[c][i][j] = 0.25f * d2[c][2 * i - 1][j] + 0.5f * d2[c][2 * i][j] + 0.25f * d2[c][2 * i + 1][j];
    for (int c = 0; c < 2; c++)
        for (int i = 1; i < h; i++)
            for (int j = 1; j < w; j++)
                d3[c][i][j] = 0.25f * x2[c][i][2 * j - 1] + 0.5f * x2[c][i][2 * j] + 0.25f * x2[c][i][2 * j + 1];

    /* Up: a point between two of the level below is their mean, one between four the mean of the four. */
    for (int c = 0; c < 2; c++)
        for (int i = 1; i < 2 * h; i++)
            for (int j = 1; j < 2 * w; j++)
                u2[c][i][j] = d2[c][i][j] + (1.0f - d2[1][i][j]) * 0.25f
                              * (d3[c][i / 2][j / 2] + d3[c][i / 2][(j + 1) / 2]
                                 + d3[c][(i + 1) / 2][j / 2] + d3[c][(i + 1) / 2][(j + 1) / 2]);
    for (int c = 0; c < 2; c++)
        for (int i = 2; i < 4 * h - 1; i++)
            for (int j = 2; j < 4 * w - 1; j++)
                u1[c][i][j] = d1[c][i][j] + (1.0f - d1[1][i][j]) * 0.25f
                              * (u2[c][i / 2][j / 2] + u2[c][i / 2][(j + 1) / 2]
                                 + u2[c][(i + 1) / 2][j / 2] + u2[c][(i + 1) / 2][(j + 1) / 2]);
    for (int c = 0; c < 2; c++)
        for (int i = 4; i < 8 * h - 3; i++)
            for (int j = 4; j < 8 * w - 3; j++)
                u0[c][i][j] = d0[c][i][j] + (1.0f - d0[1][i][j]) * 0.25f
                              * (u1[c][i / 2][j / 2] + u1[c][i / 2][(j + 1) / 2]
                                 + u1[c][(i + 1) / 2][j / 2] + u1[c][(i + 1) / 2][(j + 1) / 2]);

    for (int i = 4; i < 8 * h - 3; i++)
        for (int j = 4; j < 8 * w - 3; j++) {
            float a = u0[1][i][j];
            out[i][j] = a > 0.0f ? u0[0][i][j] / a : 0.0f;
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int h = H, w = W;
    read_sizes(argc, argv, "H W", 2, (int *[]){&h, &w});

    float (*in)[8 * w + 1] = allocate(sizeof(float[8 * h + 1][8 * w + 1]));
    float (*alpha)[8 * w + 1] = allocate(sizeof(float[8 * h + 1][8 * w + 1]));
    float (*d0)[8 * h + 1][8 * w + 1] = allocate(sizeof(float[2][8 * h + 1][8 * w + 1]));
    float (*x0)[4 * h + 1][8 * w + 1] = allocate(sizeof(float[2][4 * h + 1][8 * w + 1]));
    float (*d1)[4 * h + 1][4 * w + 1] = allocate(sizeof(float[2][4 * h + 1][4 * w + 1]));
    float (*x1)[2 * h + 1][4 * w + 1] = allocate(sizeof(float[2][2 * h + 1][4 * w + 1]));
    float (*d2)[2 * h + 1][2 * w + 1] = allocate(sizeof(float[2][2 * h + 1][2 * w + 1]));
    float (*x2)[h + 1][2 * w + 1] = allocate(sizeof(float[2][h + 1][2 * w + 1]));
    float (*d3)[h + 1][w + 1] = allocate(sizeof(float[2][h + 1][w + 1]));
    float (*u2)[2 * h + 1][2 * w + 1] = allocate(sizeof(float[2][2 * h + 1][2 * w + 1]));
    float (*u1)[4 * h + 1][4 * w + 1] = allocate(sizeof(float[2][4 * h + 1][4 * w + 1]));
    float (*u0)[8 * h + 1][8 * w + 1] = allocate(sizeof(float[2][8 * h + 1][8 * w + 1]));
    float (*out)[8 * w + 1] = allocate(sizeof(float[8 * h + 1][8 * w + 1]));
    init(h, w, in, alpha, d0, d1, d2, d3, out);

    double start = now();
    kernel_interpolate(h, w, in, alpha, d0, x0, d1, x1, d2, x2, d3, u2, u1, u0, out);
    double seconds = now() - start;

    report(seconds, checksum_float(&out[0][0], (size_t)(8 * h + 1) * (8 * w + 1)));
    free(in);
    free(alpha);
    free(d0);
    free(x0);
    free(d1);
    free(x1);
    free(d2);
    free(x2);
    free(d3);
    free(u2);
    free(u1);
    free(u0);
    free(out);
    return 0;
}
