/* why: triangular domains: bounds that depend on outer iterators stay minimal through interchange
 * run: --no-tile
 * show: deps schedule code
 * at: n=6
 */
void decompose(int n, double A[n][n])
{
#pragma scop
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            A[i][k] /= A[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
    }
#pragma endscop
}
