/* why: j may exceed the row, so the two dimensions cannot be told apart */
void f(int n, int m, double *A)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= m; j++)
            A[i * m + j] = 0;
#pragma endscop
}
