/* why: the result may be given as the source: threads must not share rows then, each of which reads the one before, although they may share images
 * run: --no-tile
 * show: code
 * at: batch=2 height=4 width=5
 */
#include <stdio.h>

static void images(int batch, int height, int width, double out[batch][height][width], double in[batch][height][width])
{
#pragma scop
    for (int b = 0; b < batch; b++)
        for (int y = 1; y < height; y++)
            for (int x = 0; x < width; x++)
                out[b][y][x] = in[b][y - 1][x] + in[b][y][x];
#pragma endscop
}

int main(void)
{
    static double out[3][257][9], in[3][257][9];
    for (int b = 0; b < 3; b++)
        for (int y = 0; y < 257; y++)
            for (int x = 0; x < 9; x++)
                in[b][y][x] = (b * 63 + y * 9 + x) % 23;
    images(3, 257, 9, out, in);
    images(3, 257, 9, in, in);
    for (int b = 0; b < 3; b++)
        for (int y = 0; y < 257; y++)
            for (int x = 0; x < 9; x++)
                printf("%g %g\n", out[b][y][x], in[b][y][x]);
    return 0;
}
