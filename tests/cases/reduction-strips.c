/* why: loops over rows that update several elements: strips of rows, dealt out to threads, in which each statement has loops of its own: A x and A^T y in one walk through A
 * run: --recipe reduction-strips.json --reassociate
 * show: code
 * at: n=37 m=21
 */
void strips(int n, int m, double A[n][m], double x[m], double y[n], double s[n], double t[m])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    s[i] = 0.0;
    for (int j = 0; j < m; j++) {
      t[j] += y[i] * A[i][j];
      s[i] += A[i][j] * x[j];
    }
  }
#pragma endscop
}
