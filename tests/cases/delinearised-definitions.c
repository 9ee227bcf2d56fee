/* why: rows of queries, keys and values, each of heads of `size` elements: what `row` and `width` are taken to be for that say the declarations of `row`
 *      (3 * width) and of `size` (width / heads), and a test in front of the region asks whether it holds; an offset of `width` is a number of heads then
 * run: --no-tile
 * show: scop deps code
 * at: batch=2 tokens=3 width=6 heads=3 row=18 size=2
 */
#include <stdio.h>

static void scores(int batch, int tokens, int width, int heads, double *restrict out, const double *restrict in)
{
    int row = width * 3;
    int size = width / heads;
#pragma scop
    for (int b = 0; b < batch; b++)
        for (int t = 0; t < tokens; t++)
            for (int h = 0; h < heads; h++) {
                const double *query = in + b * tokens * row + t * row + h * size;
                const double *key = in + b * tokens * row + h * size + width;
                const double *value = in + b * tokens * row + h * size + width * 2;
                for (int i = 0; i < size; i++)
                    out[b * tokens * width + t * width + h * size + i] = query[i] * key[i] + value[i];
            }
#pragma endscop
}

int main(void)
{
    static double out[2 * 3 * 12], in[2 * 3 * 36];
    for (int i = 0; i < 2 * 3 * 36; i++)
        in[i] = i % 31;
    scores(2, 3, 12, 4, out, in);
    /* Heads that leave a rest: the original runs. */
    scores(2, 3, 11, 4, out, in);
    for (int i = 0; i < 2 * 3 * 12; i++)
        printf("%g\n", out[i]);
    return 0;
}
