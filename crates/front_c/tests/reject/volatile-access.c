/* why: a volatile variable */
volatile double v;
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = v;
#pragma endscop
}
