/* why: a product of two iterators is not affine */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * j] = 0;
#pragma endscop
}
