/* why: partial results: a dot product in parts on threads, in the lanes of each part; sums of columns in parts of rows; the least of integers
 * run: --recipe recipe-partials.json --reassociate
 * show: code tree
 * at: n=37 m=5
 */
void partials(int n, int m, double x[n], double y[n], double A[n][m], double c[m], int k[n], int out[1])
{
  double s = 0;
  int total = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[j] += A[i][j];
  for (int i = 0; i < n; i++)
    out[0] = k[i] < out[0] ? k[i] : out[0];
  for (int i = 0; i < n; i++)
    total -= k[i];
#pragma endscop
  c[0] += s + total;
}
