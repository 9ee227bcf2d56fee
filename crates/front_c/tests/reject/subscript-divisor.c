/* why: only constants may divide */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[100 / (i + 1)] = A[i % n];
#pragma endscop
}
