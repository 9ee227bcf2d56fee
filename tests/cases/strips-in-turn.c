/* why: rows of a strip are summed up for the columns that follow: lanes add to copies of all eight sums; what the strip sets itself, t, is no variable while columns run
 * run: --recipe strips-in-turn.json --reassociate
 * show: code
 * at: n=37 m=21
 */
void turn(int n, int m, double A[n][m], double x[m], double y[m], double t[n])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    t[i] = 0.0;
    for (int j = 0; j < m; j++)
      t[i] += A[i][j] * x[j];
    for (int j = 0; j < m; j++)
      y[j] += A[i][j] * t[i];
  }
#pragma endscop
}
