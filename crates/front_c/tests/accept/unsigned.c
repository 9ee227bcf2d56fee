/* why: unsigned iterators and bounds: what is assumed is said */
typedef unsigned long size_t;
void f(size_t n, unsigned m, double *A)
{
#pragma scop
    for (size_t i = 0; i < n - 1; i++)
        A[i] = 0;
    for (int i = 0; i < m; i++)
        A[i] = 1;
    for (size_t i = n; i > 0; i--)
        A[i - 1] += 2;
#pragma endscop
}
