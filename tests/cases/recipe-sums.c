/* why: a sum along the innermost loop that may be built from several partial sums
 * run: --recipe recipe-sums.json --reassociate
 * show: code tree
 * at: n=7 m=5
 */
void sums(int n, int m, double A[n][m], double x[m], double y[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i] += A[i][j] * x[j];
#pragma endscop
}
