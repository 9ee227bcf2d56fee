/* why: conditions on data stay in the body, their writes may happen; affine parts bound the domain */
void f(int n, double A[n], double B[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (A[i] > 0)
            A[i] = 0;
        if (i > 2 && B[i] > 0)
            A[i - 1] = B[i];
        if (A[i] < B[i])
            B[i] = 1;
        else if (i % 2 == 0)
            B[i] = 2;
        else
            B[i] = 3;
        A[i] = B[i] > 1 ? A[i] : -A[i];
    }
#pragma endscop
}
