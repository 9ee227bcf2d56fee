/* why: rows of a triangle wait for divisions, but for different numbers of them: side by side most lanes of a strip would run out; those of a rectangle go side by side
 * run: --strips
 * show: code
 * at: n=11 m=9
 */
#include <stdio.h>

static void solve(int n, int m, double c[n][n], double d[n][n], double x[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < i; j++)
            c[i][j] = 1.0 / (d[j][i] - c[i][j - 1]);
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            x[i][j] = 1.0 / (d[i][0] - x[i][j - 1]);
#pragma endscop
}

int main(void)
{
    static double c[43][43], d[43][43], x[43][29];
    for (int i = 0; i < 43; i++)
        for (int j = 0; j < 43; j++)
            d[j][i] = 4 + (i * 7 + j * 3) % 11;
    solve(43, 29, c, d, x);
    for (int i = 0; i < 43; i++)
        printf("%a %a\n", c[i][(i * 5) % 43], x[i][(i * 3) % 29]);
    return 0;
}
