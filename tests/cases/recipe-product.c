/* why: steps from the order of the program: a nest apart, interchange, tiles, threads, vector lanes
 * run: --recipe recipe-product.json
 * show: code tree
 * at: n=5 m=4 p=3
 */
void product(int n, int m, int p, double A[n][p], double B[p][m], double C[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            C[i][j] *= 0.5;
            for (int k = 0; k < p; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
#pragma endscop
}
