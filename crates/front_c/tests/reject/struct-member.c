/* why: a pointer to a pointer behind a pointer, and a member that the region changes behind one */
struct T { double *a; };
struct S { int n, count; struct T *t; };
void f(struct S *s)
{
#pragma scop
    for (int i = 0; i < s->n; i++) {
        s->t->a[i] = 0;
        s->count += 1;
    }
#pragma endscop
}
