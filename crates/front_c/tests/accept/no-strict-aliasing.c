/* why: where types say nothing of what shares memory, that is tested
   no-strict-aliasing: yes */
int size;
double *x;
void f(int n, double *y, float *z)
{
#pragma scop
    for (int i = 0; i < n; i++)
        x[i] = 2 * y[i];
    for (int i = 0; i < size; i++)
        z[i] = 1;
#pragma endscop
}
