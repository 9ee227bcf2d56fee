void f(int n, float *x)
{
    int k = 0;
#pragma scop
    for (int i = 0; i < n; i++) {
        float *here = x + k;
        here[0] = 1.0f;
        k = k + 1;
    }
#pragma endscop
}
