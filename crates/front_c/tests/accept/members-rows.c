/* Pointers to rows behind members of structs: each is read once, the rows that it leads to must lie one after another where they
 * are written, and apart from those. */
struct matrix { unsigned m, n; double **rows, *base; };
void multiply(const struct matrix *a, const struct matrix *b, struct matrix *c)
{
#pragma scop
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < b->n; j++)
            for (int k = 0; k < a->n; k++)
                c->rows[i][j] += a->rows[i][k] * b->rows[k][j];
#pragma endscop
}

double sum(struct matrix a)
{
    double sum = 0.0;
#pragma scop
    for (unsigned i = 0; i < a.m; i++)
        for (unsigned j = 0; j < a.n; j++)
            sum += a.rows[i][j];
#pragma endscop
    return sum;
}
