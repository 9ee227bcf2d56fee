/* why: tiles of tiles; sizes follow loops that change places
 * run: --recipe recipe-tiles-of-tiles.json
 * show: code tree
 * at: n=6 m=7
 */
void transpose(int n, int m, double A[n][m], double B[m][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            B[j][i] = A[i][j];
#pragma endscop
}
