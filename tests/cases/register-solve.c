/* why: sums of a triangular system use what others of them gave: strips of what is known take their part off all rows below, eight at a time
 * run: --register-tiles
 * show: code
 * at: n=150
 */
void solve(int n, double x[n], double l[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      x[i] -= l[i][j] * x[j];
    x[i] = x[i] / l[i][i];
  }
#pragma endscop
}
