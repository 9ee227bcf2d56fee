/* why: integer variables that only name an affine value disappear */
void f(int n, double A[n])
{
#pragma scop
    int half = n / 2;
    for (int i = 0; i < half; i++) {
        int k = n - 1 - i;
        double t = A[i];
        A[i] = A[k];
        A[k] = t;
    }
    for (int i = 0; i < n; i++) {
        const int odd = i % 2;
        if (odd)
            A[i] += odd;
    }
#pragma endscop
}
