/* why: members of a struct that others know the address of: an array of their type may lie over them, which a test in front asks */
struct sizes { int n, offset; };
void init(struct sizes *of);

void f(int *p, double *q)
{
    struct sizes own = {100, 1}, known;
    init(&known);
#pragma scop
    for (int i = 0; i < known.n; i++)
        p[i + known.offset] = 0;
    for (int i = 0; i < own.n; i++)
        q[i + own.offset] = 0;
#pragma endscop
}
