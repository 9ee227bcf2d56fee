/* why: a loop under a condition on data, and no loop around it */
void f(int n, double A[n])
{
#pragma scop
    if (A[0] > 0)
        for (int j = 1; j < n; j++)
            A[j] = 0;
#pragma endscop
}
