/* why: the first value of an iterator must be affine as well */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = i * i; j < n; j++)
            A[j] = 0;
#pragma endscop
}
