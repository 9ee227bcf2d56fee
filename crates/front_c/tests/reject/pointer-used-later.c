/* why: a pointer that the region moves, and that the function uses later */
void f(int n, double *x)
{
#pragma scop
    for (int i = 0; i < n; i++)
        *x++ = 0;
#pragma endscop
    *x = 1;
}
