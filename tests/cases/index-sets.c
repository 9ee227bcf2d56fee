/* why: within a step, row and column k are all that others wait for: loops are split at iteration k and are parallel on either side
 * run: --strategy pluto --no-tile --split-index-sets
 * show: tree code
 * at: n=7
 */
void closure(int n, int path[n][n])
{
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
#pragma endscop
}
