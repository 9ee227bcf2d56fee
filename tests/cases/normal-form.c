/* why: loops that were shared, reversed and in the order of columns get their normal form; the temporary that kept them together lives in the result; the text names nothing as the program does
 * run: --recipe normal-form.json
 * show: code normal-form
 * at: n=5 m=4 k=3
 */
void f(int n, int m, int k, double A[restrict n][k], double B[restrict k][m], double C[restrict n][m], double x[restrict m])
{
  double sum;
#pragma scop
  for (int col = m; col >= 1; col--) {
    x[col - 1] = 0.0;
    for (int row = 0; row < n; row++) {
      sum = C[row][col - 1];
      for (int q = 0; q < k; q++)
        sum = B[q][col - 1] * A[row][q] + sum;
      C[row][col - 1] = sum;
    }
  }
#pragma endscop
}
