/* why: a pointer that leads into another array of the region, and is set twice */
void f(int n, double A[n])
{
    double *p = A;
    if (n > 2)
        p = A + 1;
#pragma scop
    for (int i = 1; i < n; i++)
        p[i] = A[i - 1];
#pragma endscop
}
