/* why: a product that overwrites its operand: in strips of rows, sums of rows further down are products of packed operands
 * run: --register-tiles
 * show: code tree
 * at: n=5 m=4
 */
void trmm(int n, int m, double A[n][n], double B[n][m])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = i + 1; k < n; k++)
        B[i][j] += A[k][i] * B[k][j];
#pragma endscop
}
