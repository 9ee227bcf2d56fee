/* why: the iterator of an inner loop is read after the region */
void f(int n, double A[n], int *r)
{
    int j;
#pragma scop
    for (int i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            A[j] = 0;
#pragma endscop
    *r = j;
}
