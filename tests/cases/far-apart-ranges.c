/* why: pieces of each of three loops are too many; isl keeps the far ranges apart without a piece for where they meet (farkas-fuzz, seed 915237)
 * run: --fuse max --tile-sizes 32
 * show: code
 * at: n=9 first=2000000000
 */
void far(int n, int first, double *restrict x, double *restrict y)
{
#pragma scop
  for (int i = first; i < first + n; i++) {
    x[i - first] = 1.0;
    for (int k = 1; k < n; k++)
      x[i - first] = 0.5 * x[i - first] + k;
  }
  for (int i = 0; i < n; i++) {
    y[i] = 3.0;
    for (int k = 1; k < n; k++)
      y[i] = 0.5 * y[i] + k;
  }
#pragma endscop
}
