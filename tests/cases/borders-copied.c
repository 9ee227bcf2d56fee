/* why: a border is copied, and what is left is a sum over whole windows: between the borders of a row it runs in vector lanes
 * run: --recipe borders-copied.json
 * show: tree code
 * at: h=6 w=7
 */
void smooth(int h, int w, float in[h][w], float out[h][w], float k[3][3])
{
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      if (y == 0 || y == h - 1 || x == 0 || x == w - 1)
        out[y][x] = in[y][x];
      else {
        float sum = 0;
        for (int dy = 0; dy < 3; dy++)
          for (int dx = 0; dx < 3; dx++)
            sum += k[dy][dx] * in[y + dy - 1][x + dx - 1];
        out[y][x] = sum;
      }
    }
#pragma endscop
}
