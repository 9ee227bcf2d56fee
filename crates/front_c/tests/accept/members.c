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

struct cache { float *q, *keys; };
void scores(int heads, int size, int pos, struct cache *s, float *att)
{
#pragma scop
    for (int h = 0; h < heads; h++) {
        float *q = s->q + h * size;
        for (int t = 0; t <= pos; t++) {
            float *k = s->keys + t * heads * size + h * size;
            float score = 0.0f;
            for (int i = 0; i < size; i++)
                score += q[i] * k[i];
            att[h * (pos + 1) + t] = score;
        }
    }
#pragma endscop
}

struct layer { int inputs; const float *weight, *bias; };
void forward(const struct layer *l, int rows, const float *x, float *y)
{
#pragma scop
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < l->inputs; i++) {
            if (l->bias)
                y[r] = l->bias[r];
            if (l->weight != 0)
                y[r] += l->weight[i] * x[i];
        }
#pragma endscop
}
