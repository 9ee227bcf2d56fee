/* why: a loop under a condition on data */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        if (A[i] > 0)
            for (int j = 0; j < i; j++)
                A[j] = 0;
#pragma endscop
}
