/* Loops that are no static control inside of loops that are: bounds that are data, `while`, `break`; `continue` becomes a
 * condition; conditions on data around loops go down to their statements. */
void csr(int n, const int start[n + 1], const int column[], const double value[], const double x[], double *restrict y)
{
    int i, k;
#pragma scop
    for (i = 0; i < n; i++) {
        y[i] = 0.0;
        for (k = start[i]; k < start[i + 1]; k++)
            y[i] += value[k] * x[column[k]];
    }
#pragma endscop
}

void escape(int n, int limit, int steps[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double a = 0.0, b = 0.0;
            int step = 0;
            while (step < limit) {
                double c = a * a - b * b + 0.01 * i;
                b = 2.0 * a * b + 0.01 * j;
                a = c;
                if (a * a + b * b > 4.0)
                    break;
                step++;
            }
            steps[i][j] = step;
        }
#pragma endscop
}

void odd(int n, double x[n], double y[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (i % 2 == 0)
            continue;
        if (x[i] < 0.0) {
            y[i] = 0.0;
            continue;
        }
        y[i] = x[i];
    }
#pragma endscop
}

void rows(int m, int n, double f[m], double A[m][n], const double *bias)
{
#pragma scop
    for (int i = 0; i < m; i++) {
        if (f[i] != 0.0)
            for (int j = 0; j < n; j++)
                A[i][j] *= f[i];
        if (bias != (void *)0)
            for (int j = 0; j < n; j++)
                A[i][j] += bias[j];
        if (A[i][0] > 1.0)
            for (int j = 0; j < n; j++)
                A[i][j] = 1.0;
        else
            A[i][0] = bias ? bias[0] : 0.0;
    }
#pragma endscop
}

void histogram(int n, const unsigned char x[n], unsigned count[restrict 256], int m, float table[][m], const int row[n], float out[restrict n][m])
{
#pragma scop
    for (int i = 0; i < n; i++)
        count[x[i]]++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = table[row[i]][j];
#pragma endscop
}
