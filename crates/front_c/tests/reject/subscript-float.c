/* why: a floating point subscript is no integer */
void f(int n, double x, double A[n])
{
#pragma scop
    A[(int)(0.5 * x)] = 0;
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
