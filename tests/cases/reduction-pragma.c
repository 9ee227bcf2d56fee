/* why: what a pragma grants one variable: its sum may be found in another order, on threads and in lanes; the sum beside it may not
 * run: --no-tile
 * show: code reductions
 * at: n=70
 */
#pragma farkas reduction(+: s)
void sums(int n, const double x[restrict n], double *restrict s, double *restrict t)
{
#pragma scop
    for (int i = 0; i < n; i++)
        s[0] += x[i] * x[i];
    for (int i = 0; i < n; i++)
        t[0] += x[i] * x[i];
#pragma endscop
}
