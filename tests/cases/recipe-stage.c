/* why: buffers for tiles of operands and of sums, in programs that are no products of matrices
 * run: --recipe recipe-stage.json
 * show: tree code
 * at: n=37 m=18
 */
void recipe_stage(int n, int m, double A[n][m], double B[m][n], double w[3][3], double y[n][m])
{
#pragma scop
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            B[i][j] = 2.0 * A[j][i];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++)
                    y[i][j] += w[r][s] * A[i + r - 1][j + s - 1];
#pragma endscop
}
