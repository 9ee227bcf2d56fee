/* Subscripts that are data, or not affine: all elements that they may mean. */
static int twice(int x) { int y = x; return y + y; }
void f(int n, double A[n], int B[n], double C[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        A[B[i]] += 1;
        A[i * i % n] = A[i | 1];
        C[i][twice(i)] = C[B[i]][i];
        C[i][100 / (i + 1)] = 0;
    }
#pragma endscop
}
