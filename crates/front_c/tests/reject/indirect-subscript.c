/* why: an array read in a subscript */
void f(int n, double A[n], int B[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[B[i]] += 1;
#pragma endscop
}
