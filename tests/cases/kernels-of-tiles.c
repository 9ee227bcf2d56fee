/* why: a kernel of loops that run over tiles: each thread has a whole tile, so that a block of 256 threads has as many tiles of 5 rows
 * run: --recipe kernels-of-tiles.json
 * show: tree code
 * at: n=170
 */
#include <stdio.h>

static void sums(int n, const double A[n][n], double s[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i] += A[i][j];
#pragma endscop
}

int main(void)
{
    enum { N = 170 };
    static double A[N][N], s[N];
    for (int i = 0; i < N; i++) {
        s[i] = i;
        for (int j = 0; j < N; j++)
            A[i][j] = i * 0.5 + j;
    }
    sums(N, A, s);
    double total = 0.0;
    for (int i = 0; i < N; i++)
        total += s[i] * (1 + i % 3);
    printf("%.17g\n", total);
    return 0;
}
