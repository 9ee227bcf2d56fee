/* why: a step that is a parameter */
void f(int n, int s, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i += s)
        A[i] = 0;
#pragma endscop
}
