/* why: a condition that holds again after it failed: the loop ends at the first failure */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i > 5 && i < n; i++)
        A[i] = 0;
    for (int i = 0; i % 4 != 3; i++)
        A[i] = 1;
#pragma endscop
}
