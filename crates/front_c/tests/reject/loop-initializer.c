/* why: a loop that does not say where it starts */
void f(int n, int i, double A[n])
{
#pragma scop
    for (; i < n; i++)
        A[i] = 0;
#pragma endscop
}
