/* why: w lives in the element where its value ends up, and each u has a place of its own, so that loops are interchanged that set them;
 * the condition on iterators keeps apart what sets u and what reads it
 * run: --recipe recipe-expand.json
 * show: tree code
 * at: n=5
 */
void recipe_expand(int n, double A[n][n], double B[n][n], double C[n][n], double D[n][n])
{
    double w, u;
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            w = A[i][j];
            for (int k = 0; k < n; k++)
                w -= B[i][k] * C[k][j];
            A[i][j] = w;
            u = C[i][j] + 1.0;
            if (j >= i)
                D[j][i] = u * u;
        }
#pragma endscop
}
