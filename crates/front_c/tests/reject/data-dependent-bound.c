/* why: a bound read from an array, as in sparse matrices */
void f(int n, double *A, int row[n + 1])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int k = row[i]; k < row[i + 1]; k++)
            A[k] = 0;
#pragma endscop
}
