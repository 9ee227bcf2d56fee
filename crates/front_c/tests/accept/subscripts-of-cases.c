// why: what the subscripts of one case need was said by leaving that case out: `transa` was taken to be less than 78
void f(char transa, int m, int n, int k, const double *a, int lda, double *c)
{
#pragma scop
    if (transa == 'N') {
        for (int l = 0; l < k; l++)
            for (int i = 0; i < m; i++)
                c[i] += a[i + l * lda];
    } else {
        for (int i = 0; i < m; i++)
            for (int l = 0; l < k; l++)
                c[i] += a[l + i * lda];
    }
#pragma endscop
}
