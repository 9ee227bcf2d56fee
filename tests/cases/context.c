/* why: what is known of the parameters simplifies bounds: no test remains for the middle that always exists
 * run: --no-tile --context 'n >= 10 && m == n + 1'
 * show: scop code
 * at: n=10 m=11
 */
void around(int n, int m, double A[m])
{
#pragma scop
    for (int i = 0; i < m; i++)
        if (i < 5 || i > n - 5)
            A[i] = 0.0;
        else
            A[i] = 1.0;
#pragma endscop
}
