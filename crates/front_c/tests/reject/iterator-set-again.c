/* why: the value that the loop leaves in its iterator is not the one that is read */
int f(int n, int A[n + 1])
{
    int k;
#pragma scop
    for (k = n; k >= 1; k--)
        A[k] = k;
    k = n;
    A[0] = A[k];
#pragma endscop
    return k;
}
