/* why: a bound that the region computes itself, and the program reads later */
int f(int n, int m, const int *B, double A[n])
{
#pragma scop
    m = B[0] + m;
    for (int i = 0; i < m; i++)
        A[i] = 0;
#pragma endscop
    return m;
}
