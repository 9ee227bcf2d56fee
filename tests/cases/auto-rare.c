/* why: where the greatest value is: 64 iterations are asked at once whether any changes something; on threads in blocks, and beside that the same loop on one thread
 * run: --strategy auto
 * show: code
 * at: n=200
 */
void where(int n, float x[n], float *most, int *at)
{
  float m = x[0];
  int k = 0;
#pragma scop
  for (int i = 1; i < n; i++)
    if (x[i] > m) {
      m = x[i];
      k = i;
    }
#pragma endscop
  *most = m, *at = k;
}
