/* why: steps of two may jump over n */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i != n; i += 2)
        A[i] = 0;
#pragma endscop
}
