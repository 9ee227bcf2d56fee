/* why: a pointer to a member of a struct of the region */
struct S { double x, y; };
void f(int n, double A[n])
{
    struct S s;
    double *p = &s.x;
#pragma scop
    for (int i = 0; i < n; i++) {
        *p = A[i];
        A[i] = s.x;
    }
#pragma endscop
}
