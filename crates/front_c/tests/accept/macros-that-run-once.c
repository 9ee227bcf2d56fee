/* why: the body of `do … while (0)` is a block */
void f(int n, double *restrict A, const double *restrict B)
{
#pragma scop
    for (int i = 0; i < n; i++)
        do {
            double t = B[i + 1];
            A[i] = t;
        } while (0);
#pragma endscop
}
