/* why: a loop within tiles is distributed over groups of statements
 * run: --recipe recipe-rows.json
 * show: tree code
 * at: t=3 n=6
 */
void recipe_rows(int t, int n, double A[n], double B[n], double C[n])
{
#pragma scop
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1]);
        for (int i = 1; i < n - 1; i++) {
            A[i] = B[i];
            C[i] = C[i] + B[i];
        }
    }
#pragma endscop
}
