/* why: a batch may be one image: threads share images and rows, in front of which nothing else stands; columns are left to lanes. The rows of a window, which runs
 *      around each point, are too short to share what is around them
 * run: --no-tile
 * show: code
 * at: batch=2 height=4 width=5 radius=1
 */
#include <stdio.h>

static void images(int batch, int height, int width, int radius, double out[restrict batch][height][width],
                   double sums[restrict batch][height], double in[restrict batch][height][width])
{
#pragma scop
    for (int b = 0; b < batch; b++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                out[b][y][x] = 2.0 * in[b][y][x];
    for (int b = 0; b < batch; b++)
        for (int y = 0; y < height; y++) {
            sums[b][y] = 0.0;
            for (int w = y - radius; w <= y + radius; w++)
                if (w >= 0 && w < height)
                    sums[b][y] += in[b][w][0];
        }
#pragma endscop
}

int main(void)
{
    static double out[3][7][9], sums[3][7], in[3][7][9];
    for (int b = 0; b < 3; b++)
        for (int y = 0; y < 7; y++)
            for (int x = 0; x < 9; x++)
                in[b][y][x] = (b * 63 + y * 9 + x) % 23;
    images(3, 7, 9, 2, out, sums, in);
    for (int b = 0; b < 3; b++)
        for (int y = 0; y < 7; y++) {
            printf("%g\n", sums[b][y]);
            for (int x = 0; x < 9; x++)
                printf("%g\n", out[b][y][x]);
        }
    return 0;
}
