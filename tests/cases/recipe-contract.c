/* why: rows that had a place each for the scheduler are buffers of the iterations afterwards, where parameters are as small as the declared array says
 * run: --recipe recipe-contract.json
 * show: tree code
 * at: n=3 k=4 m=5
 */
void recipe_contract(int n, int k, int m, double a[3][4][5], double c[5][5], double row[5])
{
#pragma scop
    for (int r = 0; r < n; r++)
        for (int q = 0; q < k; q++) {
            for (int p = 0; p < m; p++) {
                row[p] = 0.0;
                for (int s = 0; s < m; s++)
                    row[p] += a[r][q][s] * c[s][p];
            }
            for (int p = 0; p < m; p++)
                a[r][q][p] = row[p];
        }
#pragma endscop
}
