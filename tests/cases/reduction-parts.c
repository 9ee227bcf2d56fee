/* why: a loop that updates several elements, dealt out to parts that have results of their own: column sums, and A^T (A x) in one walk through A
 * run: --recipe reduction-parts.json --reassociate
 * show: code tree
 * at: n=37 m=5
 */
void parts(int n, int m, double A[n][m], double x[m], double y[m], double t[n], double c[m])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[j] += A[i][j];
  for (int i = 0; i < n; i++) {
    t[i] = 0.0;
    for (int j = 0; j < m; j++)
      t[i] += A[i][j] * x[j];
    for (int j = 0; j < m; j++)
      y[j] += A[i][j] * t[i];
  }
#pragma endscop
}
