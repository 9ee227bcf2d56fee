/* why: the initialiser sets another variable */
void f(int n, int i, int j, double A[n])
{
#pragma scop
    for (j = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
