/* why: each row is summed up in a variable in the order of the program: rows of a strip do not wait for one another. The variable is the function's, and what it has before is not read
 * run: --recipe register-cells.json
 * show: code
 * at: n=19 m=21
 */
void norms(int n, int m, double a[n][m], double r[n])
{
  double s = 1.0;
#pragma scop
  for (int i = 0; i < n; i++) {
    s = 0.0;
    for (int j = 0; j < m; j++)
      s += a[i][j] * a[i][j];
    r[i] = 0.5 * s;
  }
#pragma endscop
}
