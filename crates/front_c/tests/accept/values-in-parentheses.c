void fir(int n, int order, float *restrict y, const float *restrict x, const float *restrict r)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        float sum = x[i];
        for (int j = 0; j < order; j++)
            sum = ((sum) + (float)(r[j]) * (float)(x[i + j]));
        y[i] = (sum) - (y[i]) * (sum);
    }
#pragma endscop
}
