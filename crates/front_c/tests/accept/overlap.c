/* why: what keeps arrays apart: restrict, own arrays, types, the user's word */
int count;
double global[100];
void f(double *A, double *B, double *restrict R, float *F, int *I)
{
    double own[100];
#pragma scop
    for (int i = 0; i < count; i++) {
        A[i] = B[i] + R[i] + own[i] + global[i] + F[i];
        I[i] = 0;
    }
#pragma endscop
}
