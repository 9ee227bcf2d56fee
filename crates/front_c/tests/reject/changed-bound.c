/* why: the condition of a loop is asked again with what its body changes */
void f(int n, double *restrict A)
{
    int m = n;
#pragma scop
    for (int i = 0; i < m; i++) {
        A[i] = m;
        m = m - 1;
    }
#pragma endscop
}
