/* why: clusters move as wholes, whatever their depths: the scaling joins the product, which has a loop more
 * run: --no-tile --fuse cluster
 * show: schedule code
 * at: n=5
 */
void chain(int n, double A[n][n], double B[n][n], double C[n][n], double x[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i][j] *= 2.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                C[i][j] += A[i][k] * B[k][j];
    for (int i = 0; i < n; i++)
        x[i] = C[i][i];
#pragma endscop
}
