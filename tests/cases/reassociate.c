/* why: sums built from partial sums: a dot product, sums of products of the array that is written, a sum that runs backwards; a sum that feeds itself stays as it is
 * run: --reassociate --no-tile
 * show: code tree
 * at: n=5
 */
void sums(int n, double s[2], double x[n], double y[n], double L[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] += x[i] * y[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      y[i] -= L[i][j] * y[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      L[i][i] = L[i][i] + L[i][i - j - 1];
  for (int i = 0; i < n; i++)
    s[1] += x[i] * s[1];
#pragma endscop
}
