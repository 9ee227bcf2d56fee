/* why: an array read in a subscript outside of loops, where there is nothing to gain */
void f(int n, double A[n], int B[n])
{
#pragma scop
    A[B[0]] += 1;
    for (int i = 0; i < n; i++)
        B[i] = 0;
#pragma endscop
}
