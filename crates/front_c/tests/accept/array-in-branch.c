/* why: an array declared under a condition on data is one of the region */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        if (A[i] > 0) {
            double w[2];
            double s = A[i];
            w[0] = s;
            w[1] = s + 1;
            A[i] = w[0] * w[1];
        }
#pragma endscop
}
