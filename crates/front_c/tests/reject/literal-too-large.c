/* why: a number beyond 64 bits */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < 99999999999999999999; i++)
        A[i] = 0;
#pragma endscop
}
