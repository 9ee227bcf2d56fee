/* why: B is read transposed: one row, i + k, can be the same for both statements, but not a second one
 * run: --no-tile --influence influence-fig-3b.json
 * show: scop deps schedule code
 * at: n=5
 */
void mul_sub_transposed(int n, float A[n][n], float B[n][n], float C[n][n], float D[n][n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            B[i][k] = 2.0f * A[i][k] + 0.5f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] -= B[k][i] * D[k][i][j];
#pragma endscop
}
