/* why: no loop is cut: one's windows are whole everywhere, one's are never, one's depend on a parameter, and one's loop is no longer than a window
 * run: --recipe borders-none.json
 * show: code
 * at: n=9 m=2
 */
void sums(int n, int m, double a[n + 3][n + 3], double s[n], double t[n], double u[n], double v[9])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      s[i] += a[i][k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      for (int k = j; k < 4; k++)
        t[i] += a[i][j] * a[i][k];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2 * m; k++)
      if (i + k >= m && i + k < n + m)
        u[i] += a[i][i + k - m];
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++)
      if (i + k >= 1 && i + k <= 9)
        v[i] += a[0][i + k];
#pragma endscop
}
