/* why: a window that is clipped at the borders has a few iterations, however large the image is: the work that threads are worth counts pixels
 * run: --no-tile
 * show: code
 * at: h=7 w=9
 */
#include <stdio.h>

static void widest(int h, int w, const float in[h][w], float out[h][w])
{
#pragma scop
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            out[y][x] = 0.0f;
            for (int ky = 0; ky < 3; ky++)
                for (int kx = 0; kx < 3; kx++)
                    if (y + ky >= 1 && y + ky <= h && x + kx >= 1 && x + kx <= w)
                        out[y][x] += in[y + ky - 1][x + kx - 1];
        }
#pragma endscop
}

int main(void)
{
    static float in[20][30], out[20][30];
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 30; x++)
            in[y][x] = (y * 7 + x * 3) % 11;
    widest(20, 30, in, out);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 30; x++)
            printf("%a\n", out[y][x]);
    return 0;
}
