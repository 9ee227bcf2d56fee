/* why: what a part of a loop does becomes statements of their own, which keep elements in variables while rows run, those that two of them share, too
 * run: --recipe recipe-variables.json
 * show: tree code
 * at: n=11
 */
void recipe_variables(int n, double A[8][n], double B[n], double C[n + 1][n])
{
#pragma scop
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 8; i++) {
                A[i][j] -= C[k][j];
                C[k + 1][j] += A[i][j] * B[j];
                B[j] = 0.5 * B[j] + C[k + 1][j];
            }
#pragma endscop
}
