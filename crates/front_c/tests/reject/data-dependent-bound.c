/* why: a bound read from an array, and no loop around it */
void f(int n, double *A, int row[n + 1])
{
#pragma scop
    for (int k = row[0]; k < row[n]; k++)
        A[k] = 0;
#pragma endscop
}
