/* why: a geometric step */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 1; i < n; i *= 2)
        A[i] = 0;
#pragma endscop
}
