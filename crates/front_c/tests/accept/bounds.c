/* why: several conditions, minimum and maximum as ternary and as function, C's division */
static int min(int a, int b) { return a < b ? a : b; }
static int floord(int n, int d) { return n < 0 ? -((-n + d - 1) / d) : n / d; }
void f(int n, int m, double *A, double *restrict B)
{
#pragma scop
    for (int i = 0; i < n && i <= m; i++)
        for (int j = i - 2 > 0 ? i - 2 : 0; j < min(i + 3, m); j++)
            A[i] += B[j];
    for (int i = 0; i <= floord(n - 1, 32); i++)
        for (int j = 32 * i; j < n && j < 32 * i + 32; j++)
            A[j] += 1;
    for (int i = -m; i < m; i++)
        B[i / 2 + m] = B[i % 2 + m];
    for (int i = 0; i < n; i++)
        if (!(i < 3 || i > 8) && 2 * i != n)
            A[i] = 0;
        else
            A[i] = 1;
    for (int i = 0; 2 * i < n - 1; i++)
        A[i] += 2;
    for (int i = 0; i < n; i++)
        A[i % 3 == 1 ? i : n - 1 - i] += i >> 1;
#pragma endscop
}
