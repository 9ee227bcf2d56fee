/* why: register tiles of rows alone, where sums run along the order of memory; the second nest has rows of several lengths, the third none
 * run: --register-tiles --fuse no
 * show: code tree
 * at: n=9 m=10
 */
void vectors(int n, int m, double y[n], double z[n], double w[n], double A[n][m], double L[n][n], double x[m])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    y[i] = 0.0;
    for (int j = 0; j < m; j++)
      y[i] += A[i][j] * x[j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      z[i] = z[i] - L[i][j] * y[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      w[i] += L[j][i] * z[j];
#pragma endscop
}
