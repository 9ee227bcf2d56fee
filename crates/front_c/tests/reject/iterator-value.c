/* why: the iterator of a strided loop is read after it */
void f(int n, int i, double A[n])
{
#pragma scop
    for (i = 0; i < n; i += 3)
        A[i] = 0;
    A[0] = i;
#pragma endscop
}
