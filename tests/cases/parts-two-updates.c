/* why: two statements update one variable, each by partial results of its own, of which nothing waits for those of the other; what is on threads already is left as it is by the planner of threads
 * run: --recipe parts-two-updates.json --reassociate
 * show: code
 * at: n=37
 */
void two(int n, double x[n], double y[n], double out[1])
{
  double s = 3;
#pragma scop
  for (int i = 0; i < n; i++) {
    s += x[i];
    s += y[i];
  }
#pragma endscop
  out[0] = s;
}
