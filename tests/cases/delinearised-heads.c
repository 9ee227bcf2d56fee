/* why: rows of `width` elements are `heads` parts of `size` elements: the subscripts are dimensions where width = heads * size, which is tested
 *      in front of the region; so the parts are known to be apart, and the loop over them is parallel
 * run: --no-tile
 * show: scop deps code
 * at: tokens=4 heads=3 size=2 width=6
 */
#include <stdio.h>

static void gated(int tokens, int heads, int size, int width, double *restrict out, const double *restrict x)
{
#pragma scop
    for (int h = 0; h < heads; h++)
        for (int t = 1; t < tokens; t++)
            for (int i = 0; i < size; i++)
                out[t * width + h * size + i] = out[(t - 1) * width + h * size + i] + x[t * 2 * width + width + h * size + i];
#pragma endscop
}

int main(void)
{
    static double out[7 * 12], x[7 * 24];
    for (int i = 0; i < 7 * 24; i++)
        x[i] = i;
    gated(7, 4, 3, 12, out, x);
    /* Parts that overlap, and rows with a gap behind the last part: the original runs. */
    gated(5, 4, 3, 7, out, x);
    gated(5, 2, 3, 8, out, x);
    for (int i = 0; i < 7 * 12; i++)
        printf("%g\n", out[i]);
    return 0;
}
