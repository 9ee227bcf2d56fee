/* why: not all rows of all pages from the first to the last are read, so that a test could not look at each */
void f(int n, double ***A)
{
#pragma scop
    for (int i = 1; i < n; i++)
        A[i][i][i] = A[i - 1][i][i];
#pragma endscop
}
