/* why: threads start where the work of one start of a nest pays for it: a row, a rectangle, a triangle, and nothing is asked
 *      where numbers say that it does, or does not
 * run: --no-tile --fuse no
 * show: code
 * at: n=9 m=7
 */
#include <stdio.h>

static void update(int n, int m, double x[restrict n], double A[restrict n][m], double B[restrict n][n],
                   double F[restrict 900][900], double c[restrict 9])
{
#pragma scop
    for (int i = 0; i < n; i++)
        x[i] = i % 7;
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m - 1; j++)
            A[i][j] = x[i] + j % 5;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            B[i][j] = x[i] - x[j];
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = 0; j < m; j++)
                A[i][j] = A[i][j] * 0.5 + A[k][j];
    for (int i = 0; i < 900; i++)
        for (int j = 0; j < 900; j++)
            F[i][j] = i * j % 9;
    for (int i = 0; i < 9; i++)
        c[i] = i * i;
#pragma endscop
}

static double x[700], A[700 * 500], B[700 * 700], F[900][900], c[9];

int main(void)
{
    double sum = 0;
    for (int n = 1; n < 700; n += 233) {
        update(n, 500, x, (double (*)[500])A, (double (*)[n])B, F, c);
        for (int i = 0; i < n * n; i++)
            sum += B[i] * (i % 3 + 1) + A[i % (n * 500)] * (i % 5);
    }
    printf("%a\n", sum + F[5][7] + c[3]);
    return 0;
}
