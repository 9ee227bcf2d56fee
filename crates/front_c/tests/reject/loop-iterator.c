/* why: a floating point iterator */
void f(int n, double A[n])
{
#pragma scop
    for (double x = 0; x < n; x += 0.5)
        A[0] += x;
#pragma endscop
}
