/* why: switch */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        switch (i) {
        default:
            A[i] = 0;
        }
#pragma endscop
}
