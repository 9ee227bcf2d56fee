/* why: a pointer to a scalar of the region */
void f(int n, double A[n])
{
    double s = 0, *p = &s;
#pragma scop
    for (int i = 0; i < n; i++) {
        p[0] = A[i];
        A[i] = s;
    }
#pragma endscop
}
