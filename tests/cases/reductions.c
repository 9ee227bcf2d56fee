/* why: which statements are reductions, of which form, and whether their order is free: sums, products, least and greatest values, logical and bitwise operators, of integers and floating-point numbers; what reads partial results
 * run: --no-tile
 * show: reductions
 * at: n=3 m=4
 */
void reductions(int n, int m, double A[n][m], int B[n][m], unsigned C[n][m], signed char D[n][m], float E[n], double r[n], double c[m], double out[n])
{
  double s = 0, p = 1, mx = 0, mn = 0, t = 0;
  int k = 0, any = 0, every = 1, bits = -1, least = 1000;
  unsigned u = 0, x = 0;
  signed char narrow = 0;
  _Bool odd = 0;
  float f = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      s += A[i][j];
      p = A[i][j] * p;
      mx = A[i][j] > mx ? A[i][j] : mx;
      mn = __builtin_fmin(mn, A[i][j]);
      k -= B[i][j];
      any = any || B[i][j];
      every = B[i][j] && every;
      bits &= B[i][j];
      if (B[i][j] < least)
        least = B[i][j];
      u += C[i][j];
      x ^= C[i][j];
      narrow += D[i][j];
      odd ^= B[i][j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      r[i] += A[i][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[j] = c[j] + A[i][j] - 1.0;
  for (int i = 0; i < n; i++)
    f = f - E[i] * 2;
  for (int i = 0; i < n; i++) {
    t += r[i];
    out[i] = t;
  }
#pragma endscop
  out[0] += s + p + mx + mn + k + any + every + bits + least + u + x + narrow + odd + f;
}
