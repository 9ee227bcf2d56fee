/* why: each iteration of a strip has cells for its temporaries, so that the loop over a strip goes inside of the recurrences, which run side by side
 * run: --recipe recipe-cells.json
 * show: tree code
 * at: n=11
 */
void recipe_cells(int n, double A[n][n], double B[n][n])
{
    double y, last[2];
#pragma scop
    for (int i = 0; i < n; i++) {
        last[0] = 0.0;
        last[1] = 1.0;
        y = A[i][0];
        for (int j = 0; j < n; j++) {
            y = A[i][j] / (1.0 + y * last[1]);
            last[0] += y;
            last[1] = last[0] * 0.5;
            B[i][j] = y;
        }
        B[i][0] += last[0];
    }
#pragma endscop
}
