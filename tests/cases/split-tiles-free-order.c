/* why: loops over tiles are cut at the tile that all others wait for, but the others update one element, too, be it in any order: they do not run at the same time
 * run: --strategy locality-cpu --tile-sizes 7,1,2 --split-tiles --reassociate
 * show: tree
 * at: n=5
 */
void split(int n, float B[1], float out[1])
{
  float s = 3;
#pragma scop
  B[0] = 1;
  s = 1;
  for (int c = 0; c < n; c++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < j; k++)
        s += 1;
#pragma endscop
  out[0] = s;
}
