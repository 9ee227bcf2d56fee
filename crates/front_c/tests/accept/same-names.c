/* why: variables of one name in several blocks of a region that is read twice, for its linearised subscripts */
void f(int n, int m, float *restrict x, float *restrict y)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        {
            float t = x[i];
            for (int k = 0; k < 2; k++)
                x[i + k] = t;
        }
        {
            float t = x[n - 1 - i];
            for (int k = 0; k < 2; k++)
                x[i + k] += t;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[j * n + i] = 1;
#pragma endscop
}
