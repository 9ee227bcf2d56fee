/* why: the same bits for any number of threads: 32 parts gather what they contribute in cells of their own, in vector lanes, and are combined in
 *      their order; a row is summed in lanes alone; what is the same in any order, threads combine as they end
 * run: --deterministic --no-tile
 * show: code
 */
#include <stdio.h>

static void sums(int n, int m, const double x[restrict n], const _Float16 h[restrict n], const int k[restrict n],
                 double A[restrict n][m], double rows[restrict n], double columns[restrict m], double *restrict sum,
                 _Float16 *restrict most, int *restrict count)
{
#pragma scop
    for (int i = 0; i < n; i++)
        sum[0] += x[i] * x[i];
    for (int i = 0; i < n; i++)
        most[0] = h[i] > most[0] ? h[i] : most[0];
    for (int i = 0; i < n; i++)
        count[0] += k[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            rows[i] += A[i][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            columns[j] += A[i][j];
#pragma endscop
}

static double x[3000], A[3000][9], rows[3000], columns[9], sum;
static _Float16 h[3000], most;
static int k[3000], count;

int main(void)
{
    for (int i = 0; i < 3000; i++) {
        x[i] = i % 7 - 3;
        h[i] = i % 11 - 5;
        k[i] = i % 5;
        for (int j = 0; j < 9; j++)
            A[i][j] = i % 4 + j;
    }
    for (int n = 0; n <= 3000; n = 3 * n + 1) {
        sums(n, 9, x, h, k, A, rows, columns, &sum, &most, &count);
        printf("%a %a %d", sum, (double)most, count);
        for (int i = 0; i < 9; i++)
            printf(" %a %a", rows[i], columns[i]);
        printf("\n");
    }
    return 0;
}
