/* why: register tiles of rows alone, where sums run along the order of memory; the rows of the second nest are of several lengths; the third has a loop in whose order all memory lies
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
