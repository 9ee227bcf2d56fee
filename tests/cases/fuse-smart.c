/* why: by default what shares data at the same depth is fused, and a product of another depth is not
 * run: --no-tile
 * show: schedule code
 * at: n=6
 */
void chain(int n, double A[n][n], double B[n][n], double x[n], double y[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[i][j] = A[i][j] + 1.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[i][j] *= 2.0;
    for (int i = 0; i < n; i++)
        x[i] = y[i] + B[i][i];
#pragma endscop
}
