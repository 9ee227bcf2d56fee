/* why: what pragmas grant is not tested */
#pragma farkas assume no-overlap
void f(int n, double *A, double *B, double ***C)
{
#pragma farkas assume separate-rows(C), in-row
#pragma scop
    for (int i = 1; i < n; i++)
        A[i] = B[i] + C[i][i][i];
#pragma endscop
}
