/* why: a scalar that every iteration sets before it reads it forbids all parallel loops by its anti dependences
 * run: --no-tile
 * show: deps code
 * at: n=6
 */
#include <stdio.h>

static double dot(int n, double y[n], double A[n][n], const double x[n])
{
    double t = 0.0;
#pragma scop
    for (int i = 0; i < n; i++) {
        t = 0.0;
        for (int j = 0; j < n; j++)
            t += A[i][j] * x[j];
        y[i] = t;
    }
#pragma endscop
    return t;
}

int main(void)
{
    static double y[9], A[9][9], x[9];
    for (int i = 0; i < 9; i++) {
        x[i] = i + 1;
        for (int j = 0; j < 9; j++)
            A[i][j] = 1.0 / (i + 2 * j + 1);
    }
    printf("%a\n", dot(9, y, A, x));
    for (int i = 0; i < 9; i++)
        printf("%a\n", y[i]);
    return 0;
}
