/* why: sweeps whose parallel loop stands inside in one and outside in the other share it, outermost; the sums of rows need values of all its iterations, and stay apart
 * run: --recipe share-parallel.json
 * show: code tree
 * at: n=6
 */
void sweeps(int n, double p[restrict n][n], double v[restrict n][n], double u[restrict n][n], double sum[restrict n])
{
#pragma scop
    for (int j = 1; j < n; j++)
        for (int i = 0; i < n; i++)
            p[j][i] = 0.5 * p[j - 1][i] + u[j][i];
    for (int i = 0; i < n; i++)
        for (int j = n - 2; j >= 0; j--)
            v[j][i] = v[j + 1][i] + p[j][i];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            sum[j] += v[j][i];
#pragma endscop
}
