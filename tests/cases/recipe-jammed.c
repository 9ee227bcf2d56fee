/* why: unroll and jam by a recipe: strips of four rows, along which the inner loop runs once
 * run: --recipe recipe-jammed.json
 * show: code
 * at: m=5
 */
void jammed(int m, double A[64][m], double x[m], double y[64])
{
#pragma scop
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < m; j++)
            y[i] += A[i][j] * x[j];
#pragma endscop
}
