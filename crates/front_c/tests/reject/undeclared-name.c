/* why: a name that nothing declares */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = scale * A[i];
#pragma endscop
}
