/* why: return */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        if (A[i] > 1)
            return;
#pragma endscop
}
