/* why: a bound read from an array that may have no such element where the region does not read it */
void f(int n, const double *B, double *restrict A, const int *size)
{
#pragma scop
    for (int i = 0; i < n; i++)
        if (B[i] > 0)
            for (int k = 0; k < size[1]; k++)
                A[k] = 0;
#pragma endscop
}
