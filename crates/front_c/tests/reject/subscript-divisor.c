/* why: only constants may divide */
void f(int n, double A[n])
{
#pragma scop
    A[100 / (n + 1)] = A[7 % n];
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
