/* why: a call through a pointer */
void f(int n, double A[n], double (*g)(int))
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = g(i);
#pragma endscop
}
