/* why: the first condition keeps the second from being asked, so that g may lead nowhere */
struct grid { int nx; double *now; };
void f(int n, struct grid *g, double *x)
{
#pragma scop
    for (int y = 0; y < n; y++)
        if (y > 3 && y < g->nx)
            x[y] += 1;
#pragma endscop
}

void under(int n, struct grid *g, double *x)
{
#pragma scop
    for (int y = 0; y < n; y++)
        if (x[y] > 0)
            for (int i = 0; i < g->nx; i++)
                x[y] += i;
#pragma endscop
}
