/* why: an unsigned iterator that steps over the bound wraps around, and goes on */
void f(unsigned n, double A[n])
{
#pragma scop
    for (unsigned i = 0; i != n; i += 2)
        A[i] = 0;
#pragma endscop
}
