/* why: partial results of the elements of a diagonal: two loops along cells lead to one element, so that neither combines them on threads
 * run: --recipe parts-diagonal.json --reassociate
 * show: code
 * at: n=7
 */
void diagonal(int n, double A[n][9][9], double x[17])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 9; c++)
      for (int j = 0; j < 9; j++)
        x[j + c] += A[i][c][j];
#pragma endscop
}
