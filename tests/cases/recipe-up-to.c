/* why: for small sizes the original runs; the recipe's order is taken where one of the sizes is larger
 * run: --recipe recipe-up-to.json
 * show: code
 * at: m=5 n=40
 */
void transpose(int n, int m, double A[n][m], double B[m][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            B[j][i] = A[i][j];
#pragma endscop
}
