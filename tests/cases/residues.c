/* why: Feautrier's dates 2 i and 2 i + 1 become a loop over i with two parts; no test of a residue stays in the loops
 * run: --strategy feautrier --no-tile
 * show: schedule code
 * at: n=5 m=4
 */
void row_sums(int n, int m, double a[n][m], double b[n])
{
    double s;
#pragma scop
    for (int i = 0; i < n; i++) {
        s = b[i];
        for (int j = 0; j < m; j++)
            s = s * a[i][j];
        b[i] = s;
    }
#pragma endscop
}
