/* why: pointers into one pool, one that leads to one of two places, and pointers that change places after each step: a test tells whether what the region touches is apart */
void parts(int n, double *pool)
{
    double *p = pool;
    double *q;
    q = &pool[n];
#pragma scop
    for (int i = 0; i < n; i++)
        p[i] = q[i];
#pragma endscop
}

void chosen(int n, double A[n])
{
    double *p = A;
    if (n > 2)
        p = A + 1;
#pragma scop
    for (int i = 1; i < n; i++)
        p[i] = A[i - 1];
#pragma endscop
}

void steps(int n, int steps, double *now, double *next)
{
    for (int t = 0; t < steps; t++) {
#pragma scop
        for (int i = 1; i < n - 1; i++)
            next[i] = 0.5 * (now[i - 1] + now[i + 1]);
#pragma endscop
        double *last = now;
        now = next;
        next = last;
    }
}
