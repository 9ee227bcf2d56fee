/* why: a static variable, a pointer without a first value and an initialiser list inside the region */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        static double s = 0;
        double *p;
        double w[3] = {1, 2, 1};
        A[i] = w[1];
    }
#pragma endscop
}
