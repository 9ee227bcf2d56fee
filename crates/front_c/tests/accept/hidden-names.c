/* why: a pointer that was set to another variable of the same name shares no memory with the one that the region sees */
void f(int n, double *a)
{
    double *p = a;
    {
        double a[100];
#pragma scop
        for (int i = 0; i < n; i++) {
            a[i] = p[i];
            p[i] = 2 * a[i];
        }
#pragma endscop
    }
}
void parameter(int n, int m)
{
    int *p = &n;
    {
        int n = m + 1;
#pragma scop
        for (int i = 0; i < n; i++)
            p[i] = 0;
#pragma endscop
    }
}
void extents(int n, double A[n][n])
{
    int m = n;
    {
        int n = 3;
#pragma scop
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                A[i][j] += n;
#pragma endscop
    }
}
void shadowed_in_the_region(int n, double *a)
{
    double *p = a + 1;
#pragma scop
    for (int i = 0; i < n; i++) {
        double a[2];
        a[0] = p[i];
        p[i] = 2 * a[0];
    }
#pragma endscop
    a[0] = 1;
}
void in_the_region(int n, double *x)
{
    double *t = x;
#pragma scop
    for (int i = 0; i < n; i++) {
        double t[4];
        t[0] = x[i];
        x[i] = t[0] + 1;
    }
#pragma endscop
    t[0] = 1;
}
