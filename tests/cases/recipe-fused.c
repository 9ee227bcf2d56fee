/* why: a consumer one iteration later than its producer, then both in one loop; strips of it, written out
 * run: --recipe recipe-fused.json
 * show: code tree
 * at: n=9
 */
void blur(int n, double A[n], double B[n], double C[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        B[i] = 0.5 * A[i];
    for (int i = 0; i < n - 1; i++)
        C[i] = B[i] + B[i + 1];
#pragma endscop
}
