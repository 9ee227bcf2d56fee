/* why: what is stored as double or float changes no int and no pointer, which is told with its reason */
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
