// why: what is nothing but compared with constants says which arm runs: `!=` was two pieces, each with loops of its own
enum order { ROWS = 101, COLUMNS = 102, NEITHER = -1 };
void f(char trans, enum order order, int skip, int limit, int n, double A[n][n], double x[n], double y[n])
{
#pragma scop
    if (trans == 'N' && order != NEITHER) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                y[i] += A[i][j] * x[j];
    } else if (order == ROWS || order == COLUMNS) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                y[i] += A[j][i] * x[j];
    }
    if (!skip)
        for (int i = 0; i < n; i++)
            y[i] *= 0.5;
    // A bound stays a number.
    if (limit != 3)
        for (int i = 0; i < limit; i++)
            x[i] = 0.0;
    // Data, too.
    for (int i = 0; i < n; i++)
        if (trans == 'C' && x[i] > 0.0)
            y[i] += x[i];
#pragma endscop
}
