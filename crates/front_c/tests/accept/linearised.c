/* why: subscripts with several dimensions in one */
void f(int n, int m, int p, double C[n * m], double *B, double *D, double *E)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            C[i * m + j] = B[j * n + i];
            for (int k = 0; k < p; k++)
                D[(i * m + j) * p + k] = *(D + i * m * p + j * p + k) + C[m * i + j];
        }
    for (int j = 0; j < m; j++)
        C[j] = C[(n - 1) * m + j];
    for (int i = 0; i < n + 1; i++)
        for (int j = 0; j <= n; j++)
            E[i * (n + 1) + j] = 0;
#pragma endscop
}
