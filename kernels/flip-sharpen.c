/* flip-sharpen: an image stored bottom row first is turned over, row i to row h - 1 - i, then sharpened by
 * the five-point Laplacian, float.
 * Wants both fused by rows: date h - 1 - i for the copy (coefficients -1 for i and +1 for h), i + 1 for the
 * sharpening, so that a row is used while it is in cache; equally i and h - i. One of the two has to run backwards. */
#include "common.h"

#ifndef H
#define H 2600
#endif
#ifndef W
#define W 2800
#endif

static void init(int h, int w, float in[h][w], float out[h][w])
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            in[i][j] = (float)((11 * i + 6 * j) % 240) / 239.0f;
            out[i][j] = 0.0f;
        }
}

static void kernel_flip_sharpen(int h, int w, float amount, float in[h][w], float up[h][w], float out[h][w])
{
#pragma scop
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++)
            up[h - 1 - i][j] = in[i][j];
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++)
            out[i][j] = up[i][j]
                        + amount * (4.0f * up[i][j] - up[i - 1][j] - up[i + 1][j] - up[i][j - 1] - up[i][j + 1]);
#pragma endscop
}

int main(int argc, char **argv)
{
    int h = H, w = W;
    read_sizes(argc, argv, "H W", 2, (int *[]){&h, &w});

    float (*in)[w] = allocate(sizeof(float[h][w]));
    float (*up)[w] = allocate(sizeof(float[h][w]));
    float (*out)[w] = allocate(sizeof(float[h][w]));
    init(h, w, in, out);

    double start = now();
    kernel_flip_sharpen(h, w, 0.3f, in, up, out);
    double seconds = now() - start;

    size_t count = (size_t)h * w;
    report(seconds, checksum_float(&out[0][0], count) + 0.5 * checksum_float(&up[0][0], count));
    free(in);
    free(up);
    free(out);
    return 0;
}
