/* pyramid-blending: two gray images joined along a mask without a visible seam (Burt and Adelson, 1983): Gaussian
 * pyramids of three levels of both images and of the mask by the weights 1 4 6 4 1, Laplacian pyramids of the
 * images, a blend at each level, and the levels put together again.
 * Stresses many stages of three sizes, with guards i % 2 and subscripts 2 * i and i / 2. */
#include "common.h"

#ifndef H
#define H 600
#endif
#ifndef W
#define W 620
#endif

/* The level sizes are 4 h, 2 h and h rows, and a border of two points on each side, which all stages leave as it is. */
#define R0 (4 * h + 4)
#define C0 (4 * w + 4)
#define R1 (2 * h + 4)
#define C1 (2 * w + 4)
#define R2 (h + 4)
#define C2 (w + 4)

/* Planes 0 and 1 are the images, plane 2 is the mask. */
static void init(int h, int w, float g0[3][R0][C0], float x0[3][R1][C0], float g1[3][R1][C1], float x1[3][R2][C1],
                 float g2[3][R2][C2], float b2[R2][C2], float s1[R1][C1], float out[R0][C0])
{
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < R0; i++)
            for (int j = 0; j < C0; j++)
                g0[c][i][j] = c == 2 ? (j < C0 / 2 ? 1.0f : 0.0f)
                                     : (float)(((c + 3) * i + (7 - 2 * c) * j) % 128) / 127.0f;
        for (int i = 0; i < R1; i++)
            for (int j = 0; j < C0; j++)
                x0[c][i][j] = 0.5f;
        for (int i = 0; i < R1; i++)
            for (int j = 0; j < C1; j++)
                g1[c][i][j] = s1[i][j] = 0.5f;
        for (int i = 0; i < R2; i++)
            for (int j = 0; j < C1; j++)
                x1[c][i][j] = 0.5f;
        for (int i = 0; i < R2; i++)
            for (int j = 0; j < C2; j++)
                g2[c][i][j] = b2[i][j] = 0.5f;
    }
    for (int i = 0; i < R0; i++)
        for (int j = 0; j < C0; j++)
            out[i][j] = 0.0f;
}

static void kernel_pyramid_blending(int h, int w, float g0[3][R0][C0], float x0[3][R1][C0], float g1[3][R1][C1],
                                    float x1[3][R2][C1], float g2[3][R2][C2], float y1[2][R1][C2],
                                    float l1[2][R1][C1], float y0[2][R0][C1], float l0[2][R0][C0],
                                    float b2[R2][C2], float v1[R1][C2], float s1[R1][C1], float v0[R0][C1],
                                    float out[R0][C0])
{
#pragma scop
    /* Down, first along the columns, then along the rows. */
    for (int c = 0; c < 3; c++)
        for (int i = 2; i < 2 * h + 2; i++)
            for (int j = 0; j < 4 * w + 4; j++)
                x0[c][i][j] = 0.0625f * g0[c][2 * i - 4][j] + 0.25f * g0[c][2 * i - 3][j]
                              + 0.375f * g0[c][2 * i - 2][j] + 0.25f * g0[c][2 * i - 1][j]
                              + 0.0625f * g0[c][2 * i][j];
    for (int c = 0; c < 3; c++)
        for (int i = 2; i < 2 * h + 2; i++)
            for (int j = 2; j < 2 * w + 2; j++)
                g1[c][i][j] = 0.0625f * x0[c][i][2 * j - 4] + 0.25f * x0[c][i][2 * j - 3]
                              + 0.375f * x0[c][i][2 * j - 2] + 0.25f * x0[c][i][2 * j - 1]
                              + 0.0625f * x0[c][i][2 * j];
    for (int c = 0; c < 3; c++)
        for (int i = 2; i < h + 2; i++)
            for (int j = 0; j < 2 * w + 4; j++)
                x1[c][i][j] = 0.0625f * g1[c][2 * i - 4][j] + 0.25f * g1[c][2 * i - 3][j]
                              + 0.375f * g1[c][2 * i - 2][j] + 0.25f * g1[c][2 * i - 1][j]
                              + 0.0625f * g1[c][2 * i][j];
    for (int c = 0; c < 3; c++)
        for (int i = 2; i < h + 2; i++)
            for (int j = 2; j < w + 2; j++)
                g2[c][i][j] = 0.0625f * x1[c][i][2 * j - 4] + 0.25f * x1[c][i][2 * j - 3]
                              + 0.375f * x1[c][i][2 * j - 2] + 0.25f * x1[c][i][2 * j - 1]
                              + 0.0625f * x1[c][i][2 * j];

    /* What the images lose on the way down: a level minus the expansion of the next one. A point that was
     * kept takes 1 6 1 eighths of the coarse ones around it, another 4 4 eighths. */
    for (int c = 0; c < 2; c++)
        for (int i = 2; i < 2 * h + 2; i++)
            for (int j = 0; j < w + 4; j++)
                if (i % 2 == 0)
                    y1[c][i][j] = 0.125f * g2[c][i / 2][j] + 0.75f * g2[c][i / 2 + 1][j] + 0.125f * g2[c][i / 2 + 2][j];
                else
                    y1[c][i][j] = 0.5f * g2[c][(i + 1) / 2][j] + 0.5f * g2[c][(i + 1) / 2 + 1][j];
    for (int c = 0; c < 2; c++)
        for (int i = 2; i < 2 * h + 2; i++)
            for (int j = 2; j < 2 * w + 2; j++)
                if (j % 2 == 0)
                    l1[c][i][j] = g1[c][i][j] - (0.125f * y1[c][i][j / 2] + 0.75f * y1[c][i][j / 2 + 1]
                                                 + 0.125f * y1[c][i][j / 2 + 2]);
                else
                    l1[c][i][j] = g1[c][i][j] - (0.5f * y1[c][i][(j + 1) / 2] + 0.5f * y1[c][i][(j + 1) / 2 + 1]);
    for (int c = 0; c < 2; c++)
        for (int i = 2; i < 4 * h + 2; i++)
            for (int j = 0; j < 2 * w + 4; j++)
                if (i % 2 == 0)
                    y0[c][i][j] = 0.125f * g1[c][i / 2][j] + 0.75f * g1[c][i / 2 + 1][j] + 0.125f * g1[c][i / 2 + 2][j];
                else
                    y0[c][i][j] = 0.5f * g1[c][(i + 1) / 2][j] + 0.5f * g1[c][(i + 1) / 2 + 1][j];
    for (int c = 0; c < 2; c++)
        for (int i = 2; i < 4 * h + 2; i++)
            for (int j = 2; j < 4 * w + 2; j++)
                if (j % 2 == 0)
                    l0[c][i][j] = g0[c][i][j] - (0.125f * y0[c][i][j / 2] + 0.75f * y0[c][i][j / 2 + 1]
                                                 + 0.125f * y0[c][i][j / 2 + 2]);
                else
                    l0[c][i][j] = g0[c][i][j] - (0.5f * y0[c][i][(j + 1) / 2] + 0.5f * y0[c][i][(j + 1) / 2 + 1]);

    /* Blend the coarsest level, then expand, and add the blend of what was lost. */
    for (int i = 2; i < h + 2; i++)
        for (int j = 2; j < w + 2; j++)
            b2[i][j] = g2[2][i][j] * g2[0][i][j] + (1.0f - g2[2][i][j]) * g2[1][i][j];
    for (int i = 2; i < 2 * h + 2; i++)
        for (int j = 0; j < w + 4; j++)
            if (i % 2 == 0)
                v1[i][j] = 0.125f * b2[i / 2][j] + 0.75f * b2[i / 2 + 1][j] + 0.125f * b2[i / 2 + 2][j];
            else
                v1[i][j] = 0.5f * b2[(i + 1) / 2][j] + 0.5f * b2[(i + 1) / 2 + 1][j];
    for (int i = 2; i < 2 * h + 2; i++)
        for (int j = 2; j < 2 * w + 2; j++) {
            float lost = g1[2][i][j] * l1[0][i][j] + (1.0f - g1[2][i][j]) * l1[1][i][j];
            if (j % 2 == 0)
                s1[i][j] = lost + 0.125f * v1[i][j / 2] + 0.75f * v1[i][j / 2 + 1] + 0.125f * v1[i][j / 2 + 2];
            else
                s1[i][j] = lost + 0.5f * v1[i][(j + 1) / 2] + 0.5f * v1[i][(j + 1) / 2 + 1];
        }
    for (int i = 2; i < 4 * h + 2; i++)
        for (int j = 0; j < 2 * w + 4; j++)
            if (i % 2 == 0)
                v0[i][j] = 0.125f * s1[i / 2][j] + 0.75f * s1[i / 2 + 1][j] + 0.125f * s1[i / 2 + 2][j];
            else
                v0[i][j] = 0.5f * s1[(i + 1) / 2][j] + 0.5f * s1[(i + 1) / 2 + 1][j];
    for (int i = 2; i < 4 * h + 2; i++)
        for (int j = 2; j < 4 * w + 2; j++) {
            float lost = g0[2][i][j] * l0[0][i][j] + (1.0f - g0[2][i][j]) * l0[1][i][j];
            if (j % 2 == 0)
                out[i][j] = lost + 0.125f * v0[i][j / 2] + 0.75f * v0[i][j / 2 + 1] + 0.125f * v0[i][j / 2 + 2];
            else
                out[i][j] = lost + 0.5f * v0[i][(j + 1) / 2] + 0.5f * v0[i][(j + 1) / 2 + 1];
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int h = H, w = W;
    read_sizes(argc, argv, "H W", 2, (int *[]){&h, &w});

    float (*g0)[R0][C0] = allocate(sizeof(float[3][R0][C0]));
    float (*x0)[R1][C0] = allocate(sizeof(float[3][R1][C0]));
    float (*g1)[R1][C1] = allocate(sizeof(float[3][R1][C1]));
    float (*x1)[R2][C1] = allocate(sizeof(float[3][R2][C1]));
    float (*g2)[R2][C2] = allocate(sizeof(float[3][R2][C2]));
    float (*y1)[R1][C2] = allocate(sizeof(float[2][R1][C2]));
    float (*l1)[R1][C1] = allocate(sizeof(float[2][R1][C1]));
    float (*y0)[R0][C1] = allocate(sizeof(float[2][R0][C1]));
    float (*l0)[R0][C0] = allocate(sizeof(float[2][R0][C0]));
    float (*b2)[C2] = allocate(sizeof(float[R2][C2]));
    float (*v1)[C2] = allocate(sizeof(float[R1][C2]));
    float (*s1)[C1] = allocate(sizeof(float[R1][C1]));
    float (*v0)[C1] = allocate(sizeof(float[R0][C1]));
    float (*out)[C0] = allocate(sizeof(float[R0][C0]));
    init(h, w, g0, x0, g1, x1, g2, b2, s1, out);

    double start = now();
    kernel_pyramid_blending(h, w, g0, x0, g1, x1, g2, y1, l1, y0, l0, b2, v1, s1, v0, out);
    double seconds = now() - start;

    report(seconds, checksum_float(&out[0][0], (size_t)R0 * C0));
    free(g0);
    free(x0);
    free(g1);
    free(x1);
    free(g2);
    free(y1);
    free(l1);
    free(y0);
    free(l0);
    free(b2);
    free(v1);
    free(s1);
    free(v0);
    free(out);
    return 0;
}
