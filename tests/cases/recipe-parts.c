/* why: a loop cut at affine dates; addresses count the places of a statement
 * run: --recipe recipe-parts.json
 * show: code tree
 * at: n=11 m=3
 */
void scale(int n, int m, double A[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i][j] = 2.0 * A[i][j] + i;
#pragma endscop
}
