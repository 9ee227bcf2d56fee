// why: of arrays that a function allocates for a region, and frees behind it, nothing is left; of `kept` something is read, and `last` was set
void f(int n, double *x)
{
    void *whole = 0;
    if (n > 0)
        whole = __builtin_malloc(n * sizeof(double) + 63);
    double *kept = (double *)malloc(n * sizeof(double)), *last = malloc(n * sizeof(double));
    last[0] = 1;
    if (whole) {
        double *restrict own = (void *)(((unsigned long)whole + 63) & -64);
#pragma scop
        for (int i = 0; i < n; i++)
            own[i] = 2 * x[i];
        for (int i = 0; i < n; i++)
            kept[i] = own[i];
        for (int i = 0; i < n; i++)
            x[i] = own[n - 1 - i] + last[i];
#pragma endscop
    }
    x[0] = kept[0];
    free(kept);
    free(last);
    __builtin_free(whole);
}
