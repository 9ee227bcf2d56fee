/* why: a product of two parameters is not affine in a bound */
void f(int n, int m, double *A)
{
#pragma scop
    for (int i = 0; i < n * m; i++)
        A[i] = 0;
#pragma endscop
}
