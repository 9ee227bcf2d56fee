/* why: two nested loops use one iterator */
void f(int n, int i, double A[n])
{
#pragma scop
    for (i = 0; i < n; i++)
        for (i = 0; i < n; i++)
            A[i] = 0;
#pragma endscop
}
