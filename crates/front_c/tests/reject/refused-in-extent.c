/* why: what is wrong with a name in the declaration of an array is told where the region uses it */
extern volatile int v;
void f(int n, double *x)
{
    double A[100][n + v];
#pragma scop
    for (int i = 0; i < n; i++) {
        A[i][0] = x[i];
        x[i] = v;
    }
#pragma endscop
}
