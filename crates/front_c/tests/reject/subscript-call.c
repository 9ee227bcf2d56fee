/* why: what a function returns is not known */
static int twice(int x) { int y = x; return y + y; }
void f(int n, double A[n])
{
#pragma scop
    A[twice(n)] = 0;
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
