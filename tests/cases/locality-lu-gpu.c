/* why: the locality model's section 6.2 on a GPU: one sequential row, inside it two statements share their loops
 * run: --strategy locality-gpu --no-tile
 * show: schedule
 * at: n=7
 */
#include <stdio.h>

static void factors(int n, double A[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                A[i][j] -= A[i][k] * A[k][j];
    }
#pragma endscop
}

int main(void)
{
    static double A[20][20];
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++)
            A[i][j] = i == j ? 40.0 + i : 1.0 / (1 + i + 2 * j);
    factors(20, A);
    for (int i = 0; i < 20; i++)
        printf("%a\n", A[i][(7 * i) % 20]);
    return 0;
}
