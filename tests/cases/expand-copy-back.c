/* why: rows that are computed beside the array that they take the place of get a row for each iteration, and the last one is copied back, since the caller sees it; loops in strides and backwards
 * run: --expand --no-tile
 * show: scop schedule code
 * at: n=7 m=5
 */
#include <stdio.h>

static void transform(int n, int m, double a[n][m][m], double c[m][m], double row[m])
{
#pragma scop
    for (int r = n - 1; r >= 0; r -= 2)
        for (int q = 0; q < m; q++) {
            for (int p = 0; p < m; p++) {
                row[p] = 0.0;
                for (int s = 0; s < m; s++)
                    row[p] += a[r][q][s] * c[s][p];
            }
            for (int p = 0; p < m; p++)
                a[r][q][p] = row[p];
        }
#pragma endscop
}

int main(void)
{
    enum { N = 7, M = 19 };
    static double a[N][M][M], c[M][M], row[M];
    for (int r = 0; r < N; r++)
        for (int q = 0; q < M; q++)
            for (int p = 0; p < M; p++) {
                a[r][q][p] = (r * q + p) % 13 / 13.0;
                c[q][p] = (q * p) % 17 / 17.0;
            }
    transform(N, M, a, c, row);
    for (int p = 0; p < M; p++) {
        printf("%.17g", row[p]);
        for (int r = 0; r < N; r++)
            for (int q = 0; q < M; q++)
                printf(" %.17g", a[r][q][p]);
        printf("\n");
    }
    return 0;
}
