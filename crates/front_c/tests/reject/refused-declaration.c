/* why: what uses a variable whose declaration is refused is no error of its own, whatever has the name outside */
struct point { double x; struct point *next; };
double t[100];
void f(int n, double *x, struct point *q, unsigned *bits)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        static double t;
        float *here = (float *)(bits + i);
        struct point *p = q->next;
        t = x[i];
        here[0] = t;
        here++;
        *here++ = here[1];
        p->x += p->next->x;
        x[i] = here[0] + t + p->x;
    }
#pragma endscop
}
