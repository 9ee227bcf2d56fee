/* why: one of the calls gives two parameters the same object, and what the region reads of it is data */
static void f(int n, const int *index, const double *from, double *to)
{
#pragma scop
    for (int i = 0; i < n; i++)
        to[i] = from[index[i]];
#pragma endscop
}

void run(int n, const int *index)
{
    double a[100], b[100];
    f(n, index, a, b);
    f(n, index, a, a + 50);
}
