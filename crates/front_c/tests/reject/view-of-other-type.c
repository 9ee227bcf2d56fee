void f(int n, float *x, unsigned *bits)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        float *here = (float *)(bits + i);
        x[i] = here[0];
    }
#pragma endscop
}
