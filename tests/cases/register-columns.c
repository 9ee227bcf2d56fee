/* why: sums across the order of memory are loaded and stored once for several rows, also of two statements in the same loops; a triangle is left alone
 * run: --register-tiles --fuse smart
 * show: code tree
 * at: n=11 m=19
 */
void columns(int n, int m, double x[m], double w[n], double A[n][m], double L[n][n], double u[n], double v[m], double y[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = A[i][j] + u[i] * v[j];
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      x[j] = x[j] + A[i][j] * y[i];
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      w[j] += L[i][j] * u[i];
#pragma endscop
}
