/* why: rows of a temporary that are written one after another in one array: each iteration of t gets a matrix of its own, with a subscript for
 *      each dimension in the place of the one that stood for both
 * run: --recipe expand-delinearised.json
 * show: code
 * at: n=3 m=4 k=2
 */
#include <stdio.h>

static void sums(int n, int m, int k, double *restrict work, double *restrict out, const double *restrict x)
{
#pragma scop
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < k; j++)
                work[i * k + j] = x[(t * m + i) * k + j] * i;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < k; j++)
                out[t * m + i] += work[(m - 1 - i) * k + j];
    }
#pragma endscop
}

int main(void)
{
    static double work[5 * 4], out[6 * 5], x[6 * 5 * 4];
    for (int i = 0; i < 6 * 5 * 4; i++)
        x[i] = i % 7;
    sums(6, 5, 4, work, out, x);
    for (int i = 0; i < 6 * 5; i++)
        printf("%g\n", out[i]);
    for (int i = 0; i < 5 * 4; i++)
        printf("%g\n", work[i]);
    return 0;
}
