/* why: elements that register tiles copy to a buffer have no partial results: what is copied might be from before or after they are combined
 * run: --deterministic --no-tile --register-tiles
 * show: code
 * at: n=7
 */
#include <stdio.h>

static double out[2];

static void kernel(int n, double A[1][9][40])
{
    double B[2];
    B[0] = B[1] = 0.5;
#pragma scop
    for (int t = 1; t < 3; t++) {
        for (int l = 0; l < n; l++)
            B[t - 1] = B[t - 1] - A[0][n - t][l];
        B[0] += 1;
    }
#pragma endscop
    out[0] = B[0];
    out[1] = B[1];
}

static double A[1][9][40];

int main(void)
{
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 40; j++)
            A[0][i][j] = i - 2 * j;
    for (int n = 1; n < 9; n++) {
        kernel(n, A);
        printf("%a %a\n", out[0], out[1]);
    }
    return 0;
}
