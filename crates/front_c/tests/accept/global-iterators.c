/* why: iterators at file scope have the values that C leaves in them, also those of inner loops */
int i, j, k;
void f(int n, int m, double A[n][n])
{
#pragma scop
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++)
            for (k = m; k > 0; k--)
                A[i][j] = k;
#pragma endscop
}
