/* why: the first scenario of the tree of constraint injection's Fig. 3(b) makes Fig. 2(c) of Fig. 2(a)
 * run: --no-tile --influence influence-fig-3b.json
 * show: schedule code
 * at: n=5
 */
void mul_sub(int n, float A[n][n], float B[n][n], float C[n][n], float D[n][n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            B[i][k] = 2.0f * A[i][k] + 0.5f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] -= B[i][k] * D[k][i][j];
#pragma endscop
}
