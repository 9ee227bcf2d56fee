/* why: tiles of one wavefront would update one element, as updates whose order is free go back and forth along tile loops: no wavefront
 * run: --strategy pluto --fuse max --tile-sizes 4 --reassociate
 * show: tree
 * at:
 */
void wavefront(float D[12], float out[1])
{
  float s = 3;
#pragma scop
  for (int t = 0; t < 7; t++)
    for (int j = 0; j < 12; j++) {
      D[j] = 1;
      for (int l = 0; l < 9; l++) {
        s = s * 1;
        D[j] -= 2;
      }
    }
#pragma endscop
  out[0] = s;
}
