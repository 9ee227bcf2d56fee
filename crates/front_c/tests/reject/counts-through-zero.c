/* why: an unsigned variable that may count past zero before it is what it must become */
void f(unsigned n, unsigned m, double *restrict A)
{
#pragma scop
    while (n-- != m)
        A[n] = 0;
#pragma endscop
}
