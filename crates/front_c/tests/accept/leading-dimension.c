/* why: that columns stay below the leading dimension is tested */
void f(int n, int m, int lda, double *A, double *restrict x)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i * lda + j] += x[j];
#pragma endscop
}
