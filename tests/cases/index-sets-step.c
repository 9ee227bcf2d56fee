/* why: a loop over two statements, with a step, waits for an iteration that a parameter tells
 * run: --strategy pluto --no-tile --fuse max --split-index-sets
 * show: code
 * at: n=9 m=2
 */
void scale(int n, int m, double a[n], double b[n], double c[n])
{
#pragma scop
  for (int i = 0; i < n; i += 2) {
    b[i] = b[2 * m] * a[i];
    c[i] = c[i] + b[i];
  }
#pragma endscop
}
