/* why: the tile that all others wait for is cut out, and in the others a step's updates share loops with the next step's sums
 * run: --recipe recipe-projection.json
 * show: tree code
 * at: n=9
 */
void recipe_projection(int n, double a[n][n], double r[n][n])
{
#pragma scop
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++)
            a[i][k] = a[i][k] / (r[k][k] + 2.0);
        for (int j = k + 1; j < n; j++) {
            for (int i = 0; i < n; i++)
                r[k][j] += a[i][k] * a[i][j];
            for (int i = 0; i < n; i++)
                a[i][j] -= a[i][k] * r[k][j];
        }
    }
#pragma endscop
}
