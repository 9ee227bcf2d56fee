/* Members behind several pointers, and behind pointers that others may change: what the region writes is no pointer. */
struct vector { int n; double *at; };
struct band { struct vector *mat; struct { struct vector *of; } in; int lb; };
void scaled(struct band *a, double by)
{
#pragma scop
    for (int i = a->lb; i < a->mat->n; i++)
        a->mat->at[i] = by * a->in.of->at[i];
#pragma endscop
}

struct vector *now;
void filled(double by)
{
#pragma scop
    for (int i = 0; i < now->n; i++)
        now->at[i] = by;
#pragma endscop
}

void allocate(struct vector **);
void own(double by)
{
    static struct vector *kept;
    allocate(&kept);
#pragma scop
    for (int i = 0; i < kept->n; i++)
        kept->at[i] = by;
#pragma endscop
}
