/* why: a descending loop runs upward inside the scop, and back again in the code, where the order matters
 * run: --no-tile
 * show: scop deps code
 * at: n=9
 */
#include <stdio.h>

static void substitute(int n, double x[n], double U[n][n], const double b[n])
{
#pragma scop
    for (int i = n - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int j = i + 1; j < n; j++)
            x[i] -= U[i][j] * x[j];
        x[i] /= U[i][i];
    }
#pragma endscop
}

int main(void)
{
    static double x[37], U[37][37], b[37];
    for (int i = 0; i < 37; i++) {
        b[i] = i + 1;
        for (int j = 0; j < 37; j++)
            U[i][j] = i == j ? 2.0 : 1.0 / (i + j + 1);
    }
    substitute(37, x, U, b);
    for (int i = 0; i < 37; i++)
        printf("%a\n", x[i]);
    return 0;
}
