/* why: two buffers that tiles have in turn, each filled while the one before is used: the first one in front of the loop, none beyond the last
 * run: --recipe recipe-ahead.json
 * show: tree code
 * at: n=37 m=5
 */
void recipe_ahead(int n, int m, double A[m][n], double x[n], double y[m])
{
#pragma scop
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[i] += A[i][j] * A[i][j] * x[j];
#pragma endscop
}
