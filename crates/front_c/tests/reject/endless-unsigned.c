/* why: an unsigned iterator is never negative */
void f(unsigned n, double *A)
{
#pragma scop
    for (unsigned i = n - 1; i >= 0; i--)
        A[i] = 0;
#pragma endscop
}
