/* why: a pragma that grants nothing known */
void f(int n, double *A)
{
#pragma farkas assume no-aliasing(A)
#pragma scop
    for (int i = 1; i < n; i++)
        A[i] = 0;
#pragma endscop
}
