/* why: two recurrences of two statements each; the second reads two ahead in what the first makes, and is shifted as one
 * run: --no-tile --fuse cluster
 * show: schedule code
 * at: n=9
 */
void sweeps(int n, double A[n], double B[n], double C[n], double D[n])
{
#pragma scop
    for (int i = 1; i < n; i++) {
        A[i] = 0.5 * B[i - 1];
        B[i] = A[i] + 1.0;
    }
    for (int i = 1; i < n - 2; i++) {
        C[i] = D[i - 1] - B[i + 2];
        D[i] = 0.25 * C[i];
    }
#pragma endscop
}
