/* why: a floating point subscript is no integer */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[(int)(0.5 * i)] = 0;
#pragma endscop
}
