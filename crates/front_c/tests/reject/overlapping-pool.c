/* why: two pointers into one pool */
void f(int n, double *pool)
{
    double *p = pool;
    double *q;
    q = &pool[n];
#pragma scop
    for (int i = 0; i < n; i++)
        p[i] = q[i];
#pragma endscop
}
