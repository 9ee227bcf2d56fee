/* why: goto */
void f(int n, double A[n])
{
#pragma scop
again:
    A[0] = 1;
    goto again;
#pragma endscop
}
