/* Pointers that are other names for parts of arrays: rows, `&x[i]`, sums of views, one that the function sets before the
 * region, and one that starts where a local number says. */
void rows(int m, int n, const float *x, float *y, float scale)
{
#pragma scop
    for (int i = 0; i < m; i++) {
        const float *from = x + i * n;
        float *to = &y[i * n];
        for (int j = 0; j < n; j++)
            to[j] = scale * from[j];
    }
#pragma endscop
}

void halves(int n, float *both)
{
    float *low = both;
    float *high = both + n;
#pragma scop
    for (int i = 0; i < n; i++) {
        low[i] += high[i];
        int first = 2 * i;
        float *pair = both + first;
        *(pair + 1) = pair[0];
    }
#pragma endscop
}

void nested(int m, int n, double A[m][n], double B[m][n])
{
#pragma scop
    for (int i = 1; i < m; i++) {
        double *row = A[i], *before = A[i - 1], *after = (double *)row + 1;
        for (int j = 0; j < n - 1; j++)
            B[i][j] = row[j] + before[j] + after[j];
    }
#pragma endscop
}
