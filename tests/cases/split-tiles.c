/* why: in step k, column k is all that the others wait for: the loop over tiles of columns is split at its tile, the others are parallel
 * run: --strategy pluto-deep --split-tiles --tile-sizes 4
 * show: schedule code
 * at: n=9
 */
void project(int n, double a[n][n], double r[n][n])
{
#pragma scop
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++)
      a[i][k] = a[i][k] / r[k][k];
    for (int j = k + 1; j < n; j++) {
      for (int i = 0; i < n; i++)
        r[k][j] += a[i][k] * a[i][j];
      for (int i = 0; i < n; i++)
        a[i][j] -= a[i][k] * r[k][j];
    }
  }
#pragma endscop
}
