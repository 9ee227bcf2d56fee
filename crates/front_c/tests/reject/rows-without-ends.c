/* why: which rows are touched depends on data, so that no test can look at them */
int pivot(int n, int k, double **a)
{
    int p = k;
#pragma scop
    for (int i = k + 1; i < n; i++)
        p = a[i][k] > a[p][k] ? i : p;
#pragma endscop
    return p;
}
