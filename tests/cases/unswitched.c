/* why: what a loop asks of an array that the region allocated it asks once, around it, and only where there is an
 * iteration, since what it reads may not be there else. Arrays of the program may overlap: what is asked of `keep`
 * stays inside, and here `rows` is called with one array for both of its last parameters.
 * run: --expand --no-tile --fuse no
 * show: code
 */
#include <stdio.h>

static void rows(int n, int m, int keep[n], int chosen[n][m], double a[n][m], double b[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        int kept = keep[i];
        for (int j = 0; j < m; j++) {
            if (kept > 1 || kept < 0) {
                a[i][j] = a[i][j] + b[i][j];
                b[i][j] = 2.0 * a[i][j];
            }
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (keep[i] > 0)
                keep[i] = keep[i] - j;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (chosen[i][j] != 0)
                a[i][j] = 0.0;
#pragma endscop
}

int main(void)
{
    enum { N = 11, M = 7 };
    static int keep[N], chosen[N][M];
    static double a[N][M], b[N][M];
    for (int i = 0; i < N; i++) {
        keep[i] = (i * 5) % 4 - 1;
        for (int j = 0; j < M; j++) {
            chosen[i][j] = (i + j) % 3 == 0;
            a[i][j] = i + 0.5 * j;
            b[i][j] = i - 0.25 * j;
        }
    }
    rows(N, M, keep, chosen, a, b);
    rows(N, M, keep, chosen, a, a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            printf("%d %.17g %.17g\n", keep[i], a[i][j], b[i][j]);
    return 0;
}
