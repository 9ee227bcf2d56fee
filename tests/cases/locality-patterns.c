/* why: separation: rows i and i - 1 of B lie far apart, and D[i][k] and D[i][j] share a line only where k is near j
 * run: --no-tile
 * show: locality locality-before
 * at: n=6
 */
void patterns(int n, double A[n][n], double B[n][n], double C[n][n], double D[n][n])
{
#pragma scop
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] += B[i][j] + B[i - 1][j];
            for (int k = 0; k < n; k++)
                C[i][j] += D[i][k] * D[i][j];
        }
#pragma endscop
}
