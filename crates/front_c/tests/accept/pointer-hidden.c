/* why: what a pointer of the file is set to counts, although a block of the function declares another variable of its name */
double *p, a[100];
void f(int n)
{
    p = a;
#pragma scop
    for (int i = 0; i + 1 < n; i++)
        p[i] = a[i + 1];
#pragma endscop
    {
        double p[2];
        p[0] = 1;
    }
}
