/* why: isl 0.25 crashed while the declaration's n > 0 was taken out of this domain
 * run: --no-tile
 * show: scop code
 * at: n=2 p=4
 */
void kernel(int n, int p, int C[n])
{
#pragma scop
  for (int c = 0; c < 4 && c < p; c++)
    if ((c - n) % 4 == 1)
      C[0] = 1;
#pragma endscop
}
