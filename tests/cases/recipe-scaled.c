/* why: a loop that counts every second date, with one statement on even and one on odd ones
 * run: --recipe recipe-scaled.json
 * show: code tree
 * at: n=11
 */
void scaled(int n, double A[n], double B[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        if (i % 2 == 0)
            A[i] = 2.0 * A[i];
    for (int i = 0; i < n; i++)
        if (i % 2 == 1)
            B[i] = A[i - 1] + B[i];
#pragma endscop
}
