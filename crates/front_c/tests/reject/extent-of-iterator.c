/* why: an array declared in a loop with a size that changes */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 1; i < n; i++) {
        double t[i];
        for (int j = 0; j < i; j++)
            t[j] = A[j];
        A[i] = t[0];
    }
#pragma endscop
}
