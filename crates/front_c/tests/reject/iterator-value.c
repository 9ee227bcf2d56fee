/* why: the iterator of a loop that ends at no simple value is read after it */
void f(int n, int i, double A[n])
{
    int j;
#pragma scop
    for (i = 0; i < n; i++)
        for (j = 0; 2 * j < i; j++)
            A[i] = 0;
    A[0] = j;
#pragma endscop
}
