/* why: where a target has no threads, an iteration has no copies of its own (was an internal error)
 * run: --recipe recipe-private.json --target c
 * show: code
 * at: n=7
 */
void copies(int n, double A[n][n], double B[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        double t = A[i][0] * 0.5;
        for (int j = 0; j < n; j++)
            B[i][j] = t + A[i][j];
    }
#pragma endscop
}
