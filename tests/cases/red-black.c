/* why: chessboard guards: each colour is a domain with a remainder, and becomes a loop of step two
 * run: --no-tile --fuse no
 * show: code
 * at: n=7
 */
#include <stdio.h>

static void colours(int n, double A[n][n])
{
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            if ((i + j) % 2 == 0)
                A[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4.0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            if ((i + j) % 2 == 1)
                A[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4.0;
#pragma endscop
}

int main(void)
{
    static double A[24][24];
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            A[i][j] = (5 * i + 3 * j) % 8;
    colours(24, A);
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            printf("%a\n", A[i][j]);
    return 0;
}
