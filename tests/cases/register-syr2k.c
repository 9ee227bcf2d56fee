/* why: a triangle, and operands that are packed transposed
 * run: --register-tiles --fuse no
 * show: code
 * at: n=5 m=4
 */
void update(int n, int m, double alpha, double C[n][n], double A[n][m], double B[n][m])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
#pragma endscop
}
