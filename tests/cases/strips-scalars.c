/* why: filters along rows keep what they need of the row so far in scalars, which get a cell for each row of a strip
 * run: --strategy locality-cpu --strips --no-tile
 * show: tree code
 * at: n=19 m=9
 */
#include <stdio.h>

static void filter(int n, int m, float x[n][m], float y[n][m])
{
    float one, two;
#pragma scop
    for (int i = 0; i < n; i++) {
        one = 0.0f;
        two = 0.0f;
        for (int j = m - 1; j >= 0; j--) {
            y[i][j] = 0.25f * x[i][j] + 0.5f * one + 0.125f * two;
            two = one;
            one = y[i][j];
        }
    }
#pragma endscop
}

int main(void)
{
    static float x[43][29], y[43][29];
    for (int i = 0; i < 43; i++)
        for (int j = 0; j < 29; j++)
            x[i][j] = (i * 7 + j * 3) % 11;
    filter(43, 29, x, y);
    for (int i = 0; i < 43; i++)
        printf("%a %a\n", y[i][(i * 5) % 29], y[i][(i * 3) % 29]);
    return 0;
}
