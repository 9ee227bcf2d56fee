/* why: a pointer into another array of the region */
void f(int n, double A[n])
{
    double *p = A + 1;
#pragma scop
    for (int i = 1; i < n; i++)
        p[i] = A[i - 1];
#pragma endscop
}
