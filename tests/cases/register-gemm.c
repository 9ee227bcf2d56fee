/* why: register tiles and packed operands of a matrix product; a packed element is `alpha * A[i][k]`, a product less in the loop
 * run: --register-tiles
 * show: code tree
 * at: n=5 m=4 p=3
 */
void product(int n, int m, int p, double alpha, double beta, double C[n][m], double A[n][p], double B[p][m])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < p; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
#pragma endscop
}
