/* why: iterators from outside whose value after the loop is read, in the region and after it */
void f(int n, double A[n], int *r)
{
    int i, j, k;
#pragma scop
    for (i = 0; i < n; i++)
        A[i] = 0;
    A[0] = i;
    for (j = 3; j < n; j++)
        A[j] = j;
    A[i - 1] = j;
    for (k = n - 1; k >= 0; k--)
        A[k] += k;
#pragma endscop
    *r = i + j + k;
}
