/* why: a pointer to a parameter of the region */
void f(int n, int A[n])
{
    int *p = &n;
#pragma scop
    for (int i = 0; i < n; i++)
        *p = A[i];
#pragma endscop
}
