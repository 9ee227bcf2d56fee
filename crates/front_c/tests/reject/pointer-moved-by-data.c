/* why: how far the pointer moves depends on data */
void f(int n, double *restrict x, const double *restrict y)
{
#pragma scop
    for (int i = 0; i < n; i++)
        if (y[i] > 0)
            *x++ = y[i];
#pragma endscop
}
