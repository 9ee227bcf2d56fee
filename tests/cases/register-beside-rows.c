/* why: tiles of rows leave statements alone that register tiles added
 * run: --register-tiles --time-tiles rows --tile-sizes 1,3 --strategy npu-vectorize --deps memory
 * show: code
 * at:
 */
double A[14][8], B[12][8], C[14][12], D[14], s;
void product_and_scalar(void)
{
#pragma scop
  for (int i = 0; i < 14; i++) {
    for (int k = 0; k < 12; k++)
      for (int j = 0; j < 8; j++)
        A[i][j] += C[i][k] * B[k][j];
    s = D[i] + A[2][i % 8];
  }
#pragma endscop
}
