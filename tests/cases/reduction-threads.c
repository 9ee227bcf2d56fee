/* why: loops that update elements whose order is free run on threads: integers without permission, sums in the unsigned type; a partial result that is read keeps its loop in order
 * run: --no-tile
 * show: code tree
 * at: n=5 m=3
 */
static long total[2];

void threads(int n, int m, int A[n][m], unsigned u[n], double x[n], int prefix[n])
{
  int least = 1000;
  double greatest = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      total[1] += A[i][j];
      if (A[i][j] < least)
        least = A[i][j];
    }
  for (int i = 0; i < n; i++)
    greatest = __builtin_fmax(greatest, x[i]);
  for (int i = 1; i < n; i++)
    u[0] ^= u[i];
  for (int i = 0; i < n; i++) {
    prefix[0] += A[i][0];
    prefix[i] = prefix[0];
  }
#pragma endscop
  x[0] = least + greatest;
}
