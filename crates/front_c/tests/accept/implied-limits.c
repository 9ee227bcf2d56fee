/* The limit of int on m is no condition of the second statement: it holds wherever that runs. */
void f(int n, long m, float *restrict x, float y[restrict n][n], float w[restrict m][m])
{
#pragma scop
    for (int i = 1; i < n; i++)
        y[i - 1][i] = 0.375f;
    for (int i = 1; i + 1 < n; i++)
        for (int j = 0; j != m; j++)
            w[j][m - j - 1] = 0.5f * x[j] + i;
#pragma endscop
}
