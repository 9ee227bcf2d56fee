/* why: i - 1 wraps around at i = 0, to more than 5 */
void f(int n, double A[n])
{
#pragma scop
    for (unsigned i = 0; i < 10; i++)
        if (i - 1 < 5)
            A[i] = 0;
#pragma endscop
}
