/* why: where n is 0, nothing says that g leads to a struct */
struct grid { int nx; double *now; };
void f(int n, struct grid *g)
{
#pragma scop
    for (int y = 0; y < n; y++)
        for (int x = 0; x < g->nx; x++)
            g->now[x] += 1;
#pragma endscop
}
