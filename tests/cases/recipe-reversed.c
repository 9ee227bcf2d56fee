/* why: a loop that fuses with its producer only from its end to its begin
 * run: --recipe recipe-reversed.json
 * show: code tree
 * at: n=7
 */
void mirror(int n, double A[n], double B[n], double C[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        B[i] = 0.5 * A[i];
    for (int i = 0; i < n; i++)
        C[i] = B[n - 1 - i] + A[i];
#pragma endscop
}
