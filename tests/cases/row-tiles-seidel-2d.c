/* why: a row of Gauss-Seidel relaxation carries dependences, so that rows are walked side by side
 * run: --tile-sizes 4,8 --time-tiles rows
 * show: tree code
 * at: t=3 n=6
 */
#include <stdio.h>

static void relax(int t, int n, double A[n][n])
{
#pragma scop
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 5.0;
#pragma endscop
}

int main(void)
{
    static double A[43][43];
    for (int i = 0; i < 43; i++)
        for (int j = 0; j < 43; j++)
            A[i][j] = (i * 7 + j * 3) % 11;
    relax(19, 43, A);
    for (int i = 0; i < 43; i++)
        printf("%a\n", A[i][(i * 5) % 43]);
    return 0;
}
