/* why: loops right inside each other as one, with floor and mod for subscripts, the outermost without mod: three, of which the first has as many iterations as a parameter says; two inside of another, of which one begins elsewhere; those of two statements
 * run: --recipe recipe-coalesced.json
 * show: code tree
 * at: n=3
 */
static double A[9][4][5], B[9][4][5], C[9][6], D[9][6];

void coalesced(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 5; k++)
        A[i][j][k] = 2.0 * A[i][j][k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 1; k < 5; k++)
        B[i][j][k] = B[i][j][k] + B[i][j][k - 1];
  for (int i = 1; i < n; i++)
    for (int j = 0; j < 6; j++) {
      C[i][j] = C[i - 1][j] + 1.0;
      if (j < 3)
        D[i][j] = C[i][j];
    }
#pragma endscop
}
