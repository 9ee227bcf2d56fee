/* why: no test of reasonable cost shows that pages of rows do not overlap */
void f(int n, double ***A)
{
#pragma scop
    for (int i = 1; i < n; i++)
        A[i][i][i] = A[i - 1][i][i];
#pragma endscop
}
