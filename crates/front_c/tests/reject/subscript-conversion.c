/* why: a conversion to a narrow type may change the value */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[(char)i] = 0;
#pragma endscop
}
