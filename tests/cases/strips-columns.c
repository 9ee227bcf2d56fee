/* why: columns that wait for divisions run side by side in strips where an array lies across; where none does, rows stay whole
 * run: --strips
 * show: code
 * at: n=11 m=9
 */
#include <stdio.h>

static void solve(int n, int m, double c[n][m], double d[m][n], double x[m][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            c[i][j] = 1.0 / (d[j][i] - c[i][j - 1]);
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            x[j][i] = 1.0 / (d[j][i] - x[j - 1][i]);
#pragma endscop
}

int main(void)
{
    static double c[43][29], d[29][43], x[29][43];
    for (int i = 0; i < 43; i++)
        for (int j = 0; j < 29; j++)
            d[j][i] = 4 + (i * 7 + j * 3) % 11;
    solve(43, 29, c, d, x);
    for (int i = 0; i < 43; i++)
        printf("%a %a\n", c[i][(i * 5) % 29], x[(i * 3) % 29][i]);
    return 0;
}
