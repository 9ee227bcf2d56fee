/* why: a pointer that the region moves, from where an earlier run of the region left it */
void f(int n, double *x)
{
    for (int t = 0; t < n; t++) {
#pragma scop
        for (int i = 0; i < n; i++)
            *x++ = 0;
#pragma endscop
    }
}
