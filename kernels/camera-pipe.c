/* camera-pipe: from a sensor's Bayer mosaic (rows G R G R ... and B G B G ...) to a colour image: hot pixels
 * suppressed, the four colour planes taken apart, missing colours interpolated along the smaller gradient,
 * planes put together, colours corrected by a matrix, tones by a curve. A camera pipeline as PolyMage's is.
 * Stresses many stages with stencils at half and full resolution: subscripts 2 * i and i / 2, guards i % 2. */
#include "common.h"

#ifndef H
#define H 420
#endif
#ifndef W
#define W 480
#endif

/* Sizes are in cells of 2 x 2 pixels. The sensor has a border of three cells that the stages use up. */
static void init(int h, int w, int raw[2 * h + 12][2 * w + 12])
{
    for (int i = 0; i < 2 * h + 12; i++)
        for (int j = 0; j < 2 * w + 12; j++)
            raw[i][j] = 40 + (5 * i + 3 * j) % 160 + ((i + 2 * j) % 3) * (i / 4 + j / 6) % 700;
}

/* x where it is between 0 and 1, else the nearer of the two. */
#define CLAMP(x) ((x) < 0.0f ? 0.0f : (x) > 1.0f ? 1.0f : (x))

static void kernel_camera_pipe(int h, int w, const float matrix[3][4], int raw[2 * h + 12][2 * w + 12],
                               int cool[2 * h + 8][2 * w + 8], int plane[6][h + 4][w + 4],
                               int red[2 * h][2 * w], int green[2 * h][2 * w], int blue[2 * h][2 * w],
                               int mixed[6][h][w], float out[3][2 * h][2 * w])
{
#pragma scop
    /* A pixel is at most the largest of its four neighbours of the same colour, and at least the smallest. */
    for (int i = 0; i < 2 * h + 8; i++)
        for (int j = 0; j < 2 * w + 8; j++) {
            int n = raw[i][j + 2], s = raw[i + 4][j + 2], e = raw[i + 2][j + 4], v = raw[i + 2][j];
            int low_ns = n < s ? n : s, high_ns = n < s ? s : n;
            int low_ev = e < v ? e : v, high_ev = e < v ? v : e;
            int low = low_ns < low_ev ? low_ns : low_ev;
            int high = high_ns < high_ev ? high_ev : high_ns;
            cool[i][j] = raw[i + 2][j + 2] < low ? low : raw[i + 2][j + 2] > high ? high : raw[i + 2][j + 2];
        }

    /* Planes 0 to 3: green in red rows, red, blue, green in blue rows. */
    for (int i = 0; i < h + 4; i++)
        for (int j = 0; j < w + 4; j++) {
            plane[0][i][j] = cool[2 * i][2 * j];
            plane[1][i][j] = cool[2 * i][2 * j + 1];
            plane[2][i][j] = cool[2 * i + 1][2 * j];
            plane[3][i][j] = cool[2 * i + 1][2 * j + 1];
        }

    /* Planes 4 and 5: green at the red and at the blue pixels, between the more similar pair of neighbours. */
    for (int i = 1; i < h + 3; i++)
        for (int j = 1; j < w + 3; j++) {
            int dv = plane[3][i][j] - plane[3][i - 1][j];
            int dh = plane[0][i][j + 1] - plane[0][i][j];
            plane[4][i][j] = dv * dv < dh * dh ? (plane[3][i][j] + plane[3][i - 1][j]) / 2
                                               : (plane[0][i][j + 1] + plane[0][i][j]) / 2;
        }
    for (int i = 1; i < h + 3; i++)
        for (int j = 1; j < w + 3; j++) {
            int dv = plane[0][i + 1][j] - plane[0][i][j];
            int dh = plane[3][i][j] - plane[3][i][j - 1];
            plane[5][i][j] = dv * dv < dh * dh ? (plane[0][i + 1][j] + plane[0][i][j]) / 2
                                               : (plane[3][i][j] + plane[3][i][j - 1]) / 2;
        }

    /* Red and blue at the green pixels: the mean of two neighbours, corrected by the difference in green. */
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            mixed[0][i][j] = plane[0][i + 2][j + 2] + (plane[1][i + 2][j + 1] + plane[1][i + 2][j + 2]
                                                       - plane[4][i + 2][j + 1] - plane[4][i + 2][j + 2]) / 2;
            mixed[1][i][j] = plane[0][i + 2][j + 2] + (plane[2][i + 1][j + 2] + plane[2][i + 2][j + 2]
                                                       - plane[5][i + 1][j + 2] - plane[5][i + 2][j + 2]) / 2;
            mixed[2][i][j] = plane[3][i + 2][j + 2] + (plane[1][i + 2][j + 2] + plane[1][i + 3][j + 2]
                                                       - plane[4][i + 2][j + 2] - plane[4][i + 3][j + 2]) / 2;
            mixed[3][i][j] = plane[3][i + 2][j + 2] + (plane[2][i + 2][j + 2] + plane[2][i + 2][j + 3]
                                                       - plane[5][i + 2][j + 2] - plane[5][i + 2][j + 3]) / 2;
        }
    /* Red at the blue pixels and blue at the red ones, along the diagonal with the smaller difference. */
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            int dp = plane[1][i + 3][j + 2] - plane[1][i + 2][j + 1];
            int dn = plane[1][i + 2][j + 2] - plane[1][i + 3][j + 1];
            if (dp * dp < dn * dn)
                mixed[4][i][j] = plane[5][i + 2][j + 2] + (plane[1][i + 3][j + 2] + plane[1][i + 2][j + 1]
                                                           - plane[4][i + 3][j + 2] - plane[4][i + 2][j + 1]) / 2;
            else
                mixed[4][i][j] = plane[5][i + 2][j + 2] + (plane[1][i + 2][j + 2] + plane[1][i + 3][j + 1]
                                                           - plane[4][i + 2][j + 2] - plane[4][i + 3][j + 1]) / 2;
        }
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            int dp = plane[2][i + 2][j + 3] - plane[2][i + 1][j + 2];
            int dn = plane[2][i + 2][j + 2] - plane[2][i + 1][j + 3];
            if (dp * dp < dn * dn)
                mixed[5][i][j] = plane[4][i + 2][j + 2] + (plane[2][i + 2][j + 3] + plane[2][i + 1][j + 2]
                                                           - plane[5][i + 2][j + 3] - plane[5][i + 1][j + 2]) / 2;
            else
                mixed[5][i][j] = plane[4][i + 2][j + 2] + (plane[2][i + 2][j + 2] + plane[2][i + 1][j + 3]
                                                           - plane[5][i + 2][j + 2] - plane[5][i + 1][j + 3]) / 2;
        }

    for (int i = 0; i < 2 * h; i++)
        for (int j = 0; j < 2 * w; j++) {
            if (i % 2 == 0 && j % 2 == 0) {
                red[i][j] = mixed[0][i / 2][j / 2];
                green[i][j] = plane[0][i / 2 + 2][j / 2 + 2];
                blue[i][j] = mixed[1][i / 2][j / 2];
            } else if (i % 2 == 0) {
                red[i][j] = plane[1][i / 2 + 2][j / 2 + 2];
                green[i][j] = plane[4][i / 2 + 2][j / 2 + 2];
                blue[i][j] = mixed[5][i / 2][j / 2];
            } else if (j % 2 == 0) {
                red[i][j] = mixed[4][i / 2][j / 2];
                green[i][j] = plane[5][i / 2 + 2][j / 2 + 2];
                blue[i][j] = plane[2][i / 2 + 2][j / 2 + 2];
            } else {
                red[i][j] = mixed[2][i / 2][j / 2];
                green[i][j] = plane[3][i / 2 + 2][j / 2 + 2];
                blue[i][j] = mixed[3][i / 2][j / 2];
            }
        }

    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 2 * h; i++)
            for (int j = 0; j < 2 * w; j++) {
                float x = matrix[c][0] * red[i][j] + matrix[c][1] * green[i][j] + matrix[c][2] * blue[i][j]
                          + matrix[c][3];
                float y = CLAMP(x);
                out[c][i][j] = 1.3f * y / (y + 0.3f);
            }
#pragma endscop
}

int main(int argc, char **argv)
{
    int h = H, w = W;
    read_sizes(argc, argv, "H W", 2, (int *[]){&h, &w});

    /* From sensor counts up to 1000 to colours between 0 and 1. */
    static const float matrix[3][4] = {{1.6e-3f, -4e-4f, -2e-4f, 0.01f},
                                       {-3e-4f, 1.5e-3f, -2e-4f, 0.0f},
                                       {-1e-4f, -6e-4f, 1.7e-3f, 0.02f}};
    int (*raw)[2 * w + 12] = allocate(sizeof(int[2 * h + 12][2 * w + 12]));
    int (*cool)[2 * w + 8] = allocate(sizeof(int[2 * h + 8][2 * w + 8]));
    int (*plane)[h + 4][w + 4] = allocate(sizeof(int[6][h + 4][w + 4]));
    int (*mixed)[h][w] = allocate(sizeof(int[6][h][w]));
    int (*red)[2 * w] = allocate(sizeof(int[2 * h][2 * w]));
    int (*green)[2 * w] = allocate(sizeof(int[2 * h][2 * w]));
    int (*blue)[2 * w] = allocate(sizeof(int[2 * h][2 * w]));
    float (*out)[2 * h][2 * w] = allocate(sizeof(float[3][2 * h][2 * w]));
    init(h, w, raw);

    double start = now();
    kernel_camera_pipe(h, w, matrix, raw, cool, plane, red, green, blue, mixed, out);
    double seconds = now() - start;

    report(seconds, checksum_float(&out[0][0][0], (size_t)12 * h * w));
    free(raw);
    free(cool);
    free(plane);
    free(mixed);
    free(red);
    free(green);
    free(blue);
    free(out);
    return 0;
}
