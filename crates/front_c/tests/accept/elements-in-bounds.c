/* why: elements of arrays that the region does not write are read before it, if it surely reads them, or if there surely are such */
int size[3];
double U[40][40];

void f(int n, double *A, const int row[n + 1])
{
#pragma scop
    for (int k = row[0]; k < row[n]; k++)
        A[k] = 0;
#pragma endscop
}

void g(int n, double *A, const int *limits)
{
#pragma scop
    for (int i = 1; i < size[0] - 1; i++)
        for (int j = 1; j < size[1] - 1; j++)
            U[i][j] = U[i - 1][size[2]];
    for (int i = 0; i < n; i++)
        for (int j = limits[0]; j < limits[1]; j++)
            A[j] += i;
#pragma endscop
}

void h(int n, int t, double *restrict A, const int *restrict column, const long *restrict start)
{
    for (int i = 0; i < n; i++) {
#pragma scop
        for (long k = start[i]; k < start[i + 1]; k++)
            A[k] += column[t];
#pragma endscop
    }
}
