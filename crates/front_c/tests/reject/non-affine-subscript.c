/* why: a product of two variables is not affine */
void f(int n, int m, double A[n])
{
#pragma scop
    A[n * n - m * m] = 0;
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
