/* why: a condition of --context that is not affine, at its place
   context: n >= 4 && n * m < 3 */
void f(int n, double *A)
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
