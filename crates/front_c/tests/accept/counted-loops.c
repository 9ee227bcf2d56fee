/* why: loops that count without saying so in their headers */
void f(int n, int i, double *restrict A)
{
#pragma scop
    for (; i < n; i++)
        A[i] = 1;
#pragma endscop
}

int g(int n, double *restrict A, const double *restrict B)
{
    int i = 0, j = 0;
#pragma scop
    while (i < n) {
        A[i] = B[2 * i];
        i += 3;
    }
    for (j = 0; j < n - 3; j++)
        A[j] += 1;
    for (; j < n; j++)
        A[j] += 2;
#pragma endscop
    return j;
}

void down(unsigned n, int m, double *restrict A, double *restrict B, double *restrict C)
{
#pragma scop
    for (int i = m; i-- > 1;)
        A[i] = i;
    while (n--)
        *B++ = 1;
    while (--m > 0) {
        if (m == 7)
            continue;
        C[m] = 0;
    }
#pragma endscop
}

void together(int n, double *restrict A, const double *restrict B)
{
    int i, j, k;
#pragma scop
    for (i = 0, j = n, k = 0; i < n; i++, j--, k += 2) {
        if (i == 5)
            continue;
        A[i] = B[j + k];
    }
#pragma endscop
}

void from_data(int n, const int *restrict B, double *restrict A)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = B[0]; j-- > 0;)
            A[i] = j;
#pragma endscop
}

void down_within(int n, unsigned m, double *restrict A, double *restrict B, int *restrict left)
{
    int i;
#pragma scop
    for (i = n; i > 0 && i--;)
        A[i] = i;
    while (m != 0 && m--)
        B[m] = 0;
    left[0] = i;
#pragma endscop
}
