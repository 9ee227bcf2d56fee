/* why: unsigned differences that wrap around for most parameters are computed as C does it */
void f(unsigned n, int m, double *A)
{
#pragma scop
    for (unsigned i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            if (i - k == 1)
                A[0] += 1;
    if (n - 5 > 0)
        A[1] = 2;
#pragma endscop
}
