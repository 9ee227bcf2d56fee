/* why: windows with a stride that a picture's border cuts off: rows and columns are cut where windows become whole, and cease to be
 * run: --recipe borders-pooling.json
 * show: tree code
 * at: planes=2 h=7 w=8
 */
void pool(int planes, int h, int w, float in[planes][h][w], float out[planes][(h + 1) / 2][(w + 1) / 2])
{
#pragma scop
  for (int c = 0; c < planes; c++)
    for (int y = 0; y < (h + 1) / 2; y++)
      for (int x = 0; x < (w + 1) / 2; x++) {
        out[c][y][x] = -1000;
        for (int ky = 0; ky < 3; ky++)
          for (int kx = 0; kx < 3; kx++)
            if (2 * y + ky >= 1 && 2 * y + ky <= h && 2 * x + kx >= 1 && 2 * x + kx <= w)
              out[c][y][x] = out[c][y][x] < in[c][2 * y + ky - 1][2 * x + kx - 1] ? in[c][2 * y + ky - 1][2 * x + kx - 1] : out[c][y][x];
      }
#pragma endscop
}
