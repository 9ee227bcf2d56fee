/* why: rows of two sweeps that wait for divisions run side by side, through what stands before and between the sweeps
 * run: --strips --fuse max
 * show: tree code
 * at: n=11 m=9
 */
#include <stdio.h>

static void solve(int n, int m, double c[n][m], double x[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        c[i][0] = 0.5;
        for (int j = 1; j < m; j++)
            c[i][j] = 1.0 / (4.0 - c[i][j - 1]);
        x[i][m - 1] = 0.0;
        for (int j = m - 2; j >= 0; j--)
            x[i][j] = c[i][j] * (x[i][j] - x[i][j + 1]);
    }
#pragma endscop
}

int main(void)
{
    static double c[43][29], x[43][29];
    for (int i = 0; i < 43; i++)
        for (int j = 0; j < 29; j++)
            x[i][j] = (i * 7 + j * 3) % 11;
    solve(43, 29, c, x);
    for (int i = 0; i < 43; i++)
        printf("%a %a\n", c[i][(i * 5) % 29], x[i][(i * 3) % 29]);
    return 0;
}
