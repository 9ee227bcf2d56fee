/* why: iterations update a copy of one variable and have copies of another, which are planned one after the other
 * run: --recipe reductions-private.json
 * show: code
 * at: n=7
 */
void private(int n, unsigned x[n], unsigned z[n][n], unsigned out[1])
{
  unsigned s = 3;
#pragma scop
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      unsigned t = x[k];
      z[i][k] = t;
    }
    s += x[i];
  }
#pragma endscop
  out[0] = s;
}
