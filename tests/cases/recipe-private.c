/* why: iterations that have copies of a temporary need not wait for its place; a loop that was marked need not stay so
 * run: --recipe recipe-private.json
 * show: tree code
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
