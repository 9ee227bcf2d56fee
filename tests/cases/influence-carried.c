/* why: (0,0,1) and (0,1,-1) leave i as the only row without j, so j cannot be innermost under rows of i and k
 * run: --no-tile --influence influence-fig-3b.json
 * show: scop deps schedule code
 * at: n=5
 */
void mul_sub_carried(int n, float A[n][n], float B[n][n], float C[n][n + 1][n + 1])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            B[i][k] = 2.0f * A[i][k] + 0.5f;
    for (int i = 0; i < n; i++)
        for (int j = 1; j <= n; j++)
            for (int k = 1; k < n; k++)
                C[i][j][k] = C[i][j][k - 1] - B[i][k] * C[i][j - 1][k + 1];
#pragma endscop
}
