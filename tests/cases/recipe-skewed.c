/* why: a stencil over time in place: skewed, its two loops make a permutable band, which tiles
 * run: --recipe recipe-skewed.json
 * show: code tree
 * at: n=12 steps=5
 */
void seidel(int n, int steps, double A[n])
{
#pragma scop
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            A[i] = 0.25 * (A[i - 1] + 2.0 * A[i] + A[i + 1]);
#pragma endscop
}
