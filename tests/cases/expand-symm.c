/* why: two sums in one loop nest, of which one has a scalar and the other runs through the rows above, become products with register tiles
 * run: --expand --register-tiles --fuse max
 * show: tree
 * at: m=9 n=7
 */
#include <stdio.h>

static void symmetric(int m, int n, double alpha, double beta, double a[m][m], double b[m][n], double c[m][n])
{
    double sum;
#pragma scop
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            sum = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                sum += b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum;
        }
#pragma endscop
}

int main(void)
{
    enum { M = 53, N = 47 };
    static double a[M][M], b[M][N], c[M][N];
    for (int i = 0; i < M; i++) {
        for (int k = 0; k < M; k++)
            a[i][k] = (i * k % 11) / 11.0;
        for (int j = 0; j < N; j++) {
            b[i][j] = (i + j) % 7 / 7.0;
            c[i][j] = (i * 3 + j) % 5;
        }
    }
    symmetric(M, N, 1.5, 1.2, a, b, c);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            printf(" %.17g", c[i][j]);
        printf("\n");
    }
    return 0;
}
