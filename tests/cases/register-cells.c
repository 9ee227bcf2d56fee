/* why: two sums along each row, in variables: strips of four rows, each of which has a cell of each variable, so that eight rows come from memory side by side and x is loaded once
 * run: --recipe register-cells.json --reassociate
 * show: code tree
 * at: n=19 m=21
 */
void both(int n, int m, double a[n][m], double b[n][m], double x[m], double y[n])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    double left = 0.0, right = 0.0;
    for (int j = 0; j < m; j++) {
      left += a[i][j] * x[j];
      right += b[i][j] * x[j];
    }
    y[i] = 1.5 * left + 1.2 * right;
  }
#pragma endscop
}
