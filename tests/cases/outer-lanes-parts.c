/* why: what lanes around loops choose is counted and summed up in parts, a strip at a time, in the order of the loop
 * run: --recipe outer-lanes-parts.json --reassociate
 * show: code
 * at: n=131 k=3 d=4
 */
void outer_lanes_parts(int n, int k, int d, double x[n][d], double c[k][d], double sum[k][d], int size[k])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        int best = 0;
        double most = 0.0;
        for (int q = 0; q < k; q++) {
            double alike = 0.0;
            for (int t = 0; t < d; t++)
                alike += x[i][t] * c[q][t];
            if (alike > most) {
                most = alike;
                best = q;
            }
        }
        size[best]++;
        for (int t = 0; t < d; t++)
            sum[best][t] += x[i][t];
    }
#pragma endscop
}
