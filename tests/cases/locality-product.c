/* why: completion: B[k][j] uses a line again along j, and not from the end of a line to its begin in the next iteration of i
 * run: --no-tile
 * show: locality locality-before
 * at: n=6
 */
void product(int n, double C[n][n], double A[n][n], double B[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i][j] = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
