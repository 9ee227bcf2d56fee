/* why: no condition */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0;; i++)
        A[i] = 0;
#pragma endscop
}
