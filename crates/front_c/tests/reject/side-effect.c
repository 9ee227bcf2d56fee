/* why: an assignment inside an expression */
void f(int n, double A[n], double s)
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = (s = 2.0) + 1;
#pragma endscop
}
