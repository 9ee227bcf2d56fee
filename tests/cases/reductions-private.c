/* why: iterations update a copy of one variable and have copies of another, which are planned one after the other
 * run: --strategy locality-cpu --no-tile
 * show: code
 * at: n=7
 */
void private(int n, unsigned x[n], unsigned out[1])
{
  unsigned s = 3;
#pragma scop
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      unsigned t = x[k];
      for (int l = 0; l < n; l++)
        s += t * x[l];
    }
    s += 1;
  }
#pragma endscop
  out[0] = s;
}
