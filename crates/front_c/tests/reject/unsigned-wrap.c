/* why: the product wraps around more than once */
void f(int n, double A[n])
{
#pragma scop
    for (unsigned i = 0; i < 10; i++)
        if (4000000000u * i < 5)
            A[i] = 0;
#pragma endscop
}
