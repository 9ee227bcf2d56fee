/* why: or and exclusive or are not affine */
void f(int n, double A[n])
{
#pragma scop
    A[n | 1] = 0;
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
