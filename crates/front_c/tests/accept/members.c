/* Members of structs: numbers and pointers behind a pointer are taken before the region, members of elements of arrays are
 * arrays of their own, rows of them can be views. */
struct grid { int nx, ny; double *now, *next; const float *weight; };
void sweep(struct grid *g, double scale)
{
#pragma scop
    for (int y = 1; y < g->ny - 1; y++)
        for (int x = 1; x < g->nx - 1; x++)
            g->next[y * g->nx + x] = scale * g->weight[x] * (g->now[y * g->nx + x - 1] + g->now[y * g->nx + x + 1]);
#pragma endscop
}

typedef struct { double at[3], v[3]; struct { float mass; } of; } body;
void move(int n, body *b, body c[], double dt)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        body *p = &b[i];
        for (int d = 0; d < 3; d++)
            p->at[d] += dt * p->v[d] * b[i].of.mass;
        c[i].v[0] = p->at[0];
    }
#pragma endscop
}

struct model { int dim; float *q; };
void scaled(struct model m, int n, float *out)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m.dim; j++)
            out[i * m.dim + j] = m.q[j];
#pragma endscop
}
