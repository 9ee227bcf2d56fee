/* why: affine if and else are domains: the code has no test in the innermost loop that its bounds can say
 * run: --no-tile
 * show: scop code
 * at: n=8
 */
#include <stdio.h>

static void border(int n, double A[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i == 0 || i == n - 1)
                A[i][j] = 1.0;
            else if (j > i && (i + j) % 2 == 0)
                A[i][j] = 2.0;
            else
                A[i][j] = A[i - 1][j] + 1.0;
#pragma endscop
}

int main(void)
{
    static double A[19][19];
    border(19, A);
    for (int i = 0; i < 19; i++)
        for (int j = 0; j < 19; j++)
            printf("%g\n", A[i][j]);
    return 0;
}
