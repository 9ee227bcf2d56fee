/* why: which iteration sets k last is not simple */
int f(int n, double A[n])
{
    int i, j, k = 0;
#pragma scop
    for (i = 0; i < n; i++)
        for (j = 2 * i; j < n - 5; j++)
            for (k = 0; k < i; k++)
                A[i] = 0;
#pragma endscop
    return k;
}
