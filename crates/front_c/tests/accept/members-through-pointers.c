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

/* A number behind a global pointer is read where it stands, so that it may be one that is not there for sure. */
struct setting { int from, to; double gain; } *setting;
void amplified(const int *is_loud, unsigned char *x)
{
#pragma scop
    for (int i = 0; i < 100; i++)
        if (is_loud[i])
            x[i] = setting->gain * x[i];
#pragma endscop
}
