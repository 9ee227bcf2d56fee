/* why: row and column k of step k are cut out of the others, which are parallel then; pieces of loops that nothing reaches do no harm
 * run: --recipe recipe-cut.json
 * show: tree code
 * at: n=7
 */
void closed(int n, int path[n][n], double A[n][n], double B[n][n], double C[n][n])
{
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
