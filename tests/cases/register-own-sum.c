/* why: a sum that one of its iterations reads as an operand, too, stays in its array: the rows up to the sixth get no register tile (farkas-fuzz, seed 910618)
 * run: --register-tiles
 * show: code
 * at: n=9
 */
void diagonal(int n, double w[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 6; j++)
      w[i][i] += 0.5 * w[i][j];
#pragma endscop
}
