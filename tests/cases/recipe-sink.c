/* why: strip-mine, sink and unroll make unroll-and-jam of an imperfect nest
 * run: --recipe recipe-sink.json
 * show: tree code
 * at: m=9 n=5
 */
void recipe_sink(int m, int n, double A[m][n], double x[m][n])
{
#pragma scop
    for (int i = 0; i < m; i++) {
        x[i][0] = 1.0 / A[i][0];
        for (int j = 1; j < n; j++)
            x[i][j] = (A[i][j] - x[i][j - 1]) / (1.0 + A[i][j]);
        A[i][0] = x[i][n - 1];
    }
#pragma endscop
}
