/* why: a bound that the region computes itself, in a variable from outside */
void f(int n, int m, double A[n])
{
#pragma scop
    m = n / 2;
    for (int i = 0; i < m; i++)
        A[i] = 0;
#pragma endscop
}
