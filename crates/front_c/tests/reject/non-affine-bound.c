/* why: a product of an iterator and a parameter is not affine in a bound */
void f(int n, int m, double *A)
{
#pragma scop
    for (int k = 0; k < n; k++)
        for (int i = 0; i < k * m; i++)
            A[i] = 0;
#pragma endscop
}
