/* why: three dimensions of space: tiles in time and two of them, the code stays short; sizes come from the caches
 * run: --time-tiles rows
 * show: code
 * at: t=2 n=5
 */
#include <stdio.h>

static void heat(int t, int n, double A[n][n][n], double B[n][n][n])
{
#pragma scop
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    B[i][j][k] = 0.125 * (A[i + 1][j][k] + A[i - 1][j][k] + A[i][j + 1][k] + A[i][j - 1][k]
                                          + A[i][j][k + 1] + A[i][j][k - 1] + 2.0 * A[i][j][k]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    A[i][j][k] = 0.125 * (B[i + 1][j][k] + B[i - 1][j][k] + B[i][j + 1][k] + B[i][j - 1][k]
                                          + B[i][j][k + 1] + B[i][j][k - 1] + 2.0 * B[i][j][k]);
    }
#pragma endscop
}

int main(void)
{
    static double A[23][23][23], B[23][23][23];
    for (int i = 0; i < 23; i++)
        for (int j = 0; j < 23; j++)
            for (int k = 0; k < 23; k++)
                A[i][j][k] = B[i][j][k] = (i + 3 * j + 7 * k) % 31;
    heat(11, 23, A, B);
    for (int i = 0; i < 23; i++)
        for (int j = 0; j < 23; j++)
            printf("%a\n", A[i][j][(i * 5 + j) % 23]);
    return 0;
}
