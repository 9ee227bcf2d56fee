/* why: A[i * n + j] is a matrix where 0 <= j < n is provable; the assumption is told and the text keeps its form
 * run: --no-tile
 * show: scop deps code
 * at: n=5 m=4
 */
#include <stdio.h>

static void transpose(int n, int m, double *restrict B, const double *restrict A)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            B[j * n + i] = A[i * m + j];
#pragma endscop
}

int main(void)
{
    static double A[12 * 9], B[12 * 9];
    for (int i = 0; i < 12 * 9; i++)
        A[i] = i;
    transpose(12, 9, B, A);
    for (int i = 0; i < 12 * 9; i++)
        printf("%g\n", B[i]);
    return 0;
}
