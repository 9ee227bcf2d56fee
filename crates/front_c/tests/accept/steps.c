/* why: every sign and size of a step; iterators run upward in the model */
void f(int n, double A[n])
{
    int i;
#pragma scop
    for (i = 0; i < n; i += 3)
        A[i] = 0;
    for (i = n - 1; i >= 0; i--)
        A[i] += 1;
    for (i = n; i > 0; i = i - 2)
        A[i - 1] += 2;
    for (i = 0; i != n; ++i)
        A[i] += 3;
    for (i = 0; i < 10; i = 1 + i)
        A[i] += 4;
    for (i = 12; i != 0; i -= 4)
        A[i] += 5;
    for (i = 5; i < 5; i++)
        A[i] += 6;
    for (int i = n; i; i--)
        A[i - 1] += 7;
#pragma endscop
}
