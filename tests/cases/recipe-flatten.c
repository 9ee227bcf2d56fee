/* why: the three canonical forms of reductions, by loops that become one: (a) all loops are reduced; (b) the result's dimensions are outermost in memory, or (c) innermost; (d) they lie between others, which are interchanged first, for an x-reduction or a y-reduction
 * run: --recipe recipe-flatten.json --reassociate
 * show: code tree
 * at: n=3
 */
static double A[9][3][4], B[9][3][4][5], r[9][3], c[4][5], d[3], e[9][4], s;

void forms(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++)
        s += A[i][j][k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++)
        for (int l = 0; l < 5; l++)
          r[i][j] += B[i][j][k][l];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++)
        for (int l = 0; l < 5; l++)
          c[k][l] += B[i][j][k][l];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++)
        d[j] += A[i][j][k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++)
        e[i][k] += A[i][j][k];
#pragma endscop
}
