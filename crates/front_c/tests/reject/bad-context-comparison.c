/* why: a condition of --context without comparison
   context: n + 4 */
void f(int n, double *A)
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma endscop
}
