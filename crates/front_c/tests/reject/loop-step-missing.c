/* why: no step at all */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n;)
        A[i] = 0;
#pragma endscop
}
