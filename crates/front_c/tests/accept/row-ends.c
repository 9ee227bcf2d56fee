/* why: places counted from the ends of rows, in arrays of several dimensions in one */
void f(int h, int w, int n, int m, const float *in, float *out, double *A, double *T)
{
#pragma scop
    for (int y = 0; y < h; y++) {
        const float *src = in + y * w;
        float *dst = out + y * w;
        dst[0] = src[0];
        dst[1] = src[1];
        for (int x = 2; x < w - 2; x++)
            dst[x] = src[x - 2] + src[x + 2];
        dst[w - 2] = src[w - 2];
        dst[w - 1] = src[w - 1];
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = A[n * n - 1] + A[i * n - j - 1] + A[n - 1];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                T[(i * m + j) * m + k] = T[i * m * m + m * m - 1] + T[(i * m + m - 1) * m + k];
#pragma endscop
}
