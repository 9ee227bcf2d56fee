/* why: a member through a pointer */
struct S { int n; double a[10]; };
void f(struct S *s)
{
#pragma scop
    for (int i = 0; i < s->n; i++)
        s->a[i] = 0;
#pragma endscop
}
