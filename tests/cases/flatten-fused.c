/* why: a producer that shares loops with the reduction still does so where these become one over w and one over h, x and y
 * run: --flatten --no-tile --reassociate --fuse max
 * show: code tree
 * at:
 */
static double A[40][20][10][5], B[40][20][10][5], r[20];

void fused(void)
{
#pragma scop
  for (int h = 0; h < 40; h++)
    for (int w = 0; w < 20; w++)
      for (int x = 0; x < 10; x++)
        for (int y = 0; y < 5; y++)
          B[h][w][x][y] = 0.5 * A[h][w][x][y];
  for (int h = 0; h < 40; h++)
    for (int w = 0; w < 20; w++)
      for (int x = 0; x < 10; x++)
        for (int y = 0; y < 5; y++)
          r[w] += B[h][w][x][y];
#pragma endscop
}
