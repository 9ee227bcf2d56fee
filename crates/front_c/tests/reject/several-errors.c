/* why: all that is wrong with a region is reported, and a good region next to it still lowers */
void f(int n, int m, double *A, int *B)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        A[i * i] = 0;
        A[i + m * i] = A[B[i]];
    }
    for (int i = 0; i < B[0]; i++)
        A[i] = 0;
#pragma endscop
}
void g(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
