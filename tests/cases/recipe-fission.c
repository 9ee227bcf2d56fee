/* why: loops that were shared for the sake of the text come apart; a cycle of dependences keeps one together, whose inner loops come apart, where no cycle is left
 * run: --recipe recipe-fission.json
 * show: code tree
 * at: n=5 m=4
 */
void f(int n, int m, double A[n][m], double B[n][m], double *restrict x, double *restrict y, double *restrict t)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    t[i] = 0.0;
    for (int j = 0; j < m; j++) {
      t[i] = t[i] + A[i][j] * x[j];
      B[i][j] = 2 * A[i][j];
    }
    for (int j = 0; j < m; j++)
      y[j] = y[j] + A[i][j] * t[i];
  }
  for (int k = 1; k < n; k++)
    for (int j = 1; j < m; j++) {
      A[k][j] = B[k - 1][j];
      B[k][j] = A[k][j - 1];
    }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < k; j++)
      x[k] += x[j];
#pragma endscop
}
