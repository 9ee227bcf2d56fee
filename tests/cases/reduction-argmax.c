/* why: the first of the greatest values and where it is: each block of iterations keeps its own, of which the first of the greatest is kept in their order
 * run: --recipe reduction-argmax.json
 * show: code tree reductions
 * at: n=37
 */
static double x[500], most;
static int at, found;

void argmax(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    if (x[i] > most) {
      most = x[i];
      at = i;
      found = 1;
    }
#pragma endscop
}
