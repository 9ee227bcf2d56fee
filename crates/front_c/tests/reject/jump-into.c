/* why: a goto from outside to a label of the region */
void f(int n, double *A)
{
    if (n > 3)
        goto inside;
#pragma scop
    A[0] = 0;
inside:
    A[1] = 1;
#pragma endscop
}
