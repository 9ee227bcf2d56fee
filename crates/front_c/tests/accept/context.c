/* why: what the user says of the parameters; a name that is no parameter is mentioned
   context: n >= 4 && 2 * m == n + 2, 0 < k <= n */
void f(int n, int m, double *A)
{
#pragma scop
    for (int i = 0; i != n; i++)
        for (int j = 0; j < m; j++)
            A[i] += j;
#pragma endscop
}
