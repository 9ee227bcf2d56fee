/* Members of objects whose addresses calls are given: of `get(&v.vector, i)` the object stands in the place of what the parameter points to. */
typedef struct { long size, stride; double *data; } vector;
typedef struct { vector vector; } view;
static inline double get(const vector *v, long i) { return v->data[i * v->stride]; }
static inline void set(vector *v, long i, double x) { v->data[i * v->stride] = x; }

double scale(view from, view *to, long n, double by)
{
    view own = *to;
    double sum = 0;
#pragma scop
    for (long i = 0; i < n; i++)
        set(&own.vector, i, by * get(&from.vector, i));
    for (long i = 0; i < n; i++)
        sum += get(&(to->vector), i);
#pragma endscop
    return sum;
}
