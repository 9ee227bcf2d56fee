/* why: a signed iterator that never reaches its bound would overflow, which C leaves undefined */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i != n; i += 2)
        A[i] = 0;
#pragma endscop
}
