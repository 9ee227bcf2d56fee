/* why: two levels of tiles, for two caches: tile loops of the inner level run inside those of the outer one
 * run: --tile-sizes 64,48:8,16 --target c
 * show: tree code
 * at: n=9
 */
#include <stdio.h>

static void add(int n, double A[n][n], double B[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] += B[j][i];
#pragma endscop
}

int main(void)
{
    static double A[101][101], B[101][101];
    for (int i = 0; i < 101; i++)
        for (int j = 0; j < 101; j++)
            B[i][j] = i - 3 * j;
    add(101, A, B);
    for (int i = 0; i < 101; i++)
        printf("%a\n", A[i][(i * 9) % 101]);
    return 0;
}
