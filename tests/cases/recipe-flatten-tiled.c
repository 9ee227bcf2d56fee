/* why: tiles of 32 x 4 of an x-reduction: loops over tiles and within them, those of its elements parallel, those of what is reduced marked so
 * run: --recipe recipe-flatten-tiled.json --reassociate
 * show: code tree
 * at: n=3
 */
static double A[100][12][3][7], r[100][12];

void tiled(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 12; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 7; l++)
          r[i][j] += A[i][j][k][l];
#pragma endscop
}
