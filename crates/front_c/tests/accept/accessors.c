/* Functions that read or set one element, anywhere in expressions: what they return stands in the place of calls, with arguments for
 * parameters; a pointer to a struct keeps the name that it has outside. */
typedef unsigned long size;
typedef struct { size n, stride; double *at; } vector;
typedef struct { int rows, columns; float *at; } matrix;
static inline double get(const vector *v, const size i) { return v->at[i * v->stride]; }
static inline void set(vector *v, const size i, double x) { v->at[i * v->stride] = x; }
static inline float cell(const matrix *m, int i, int j) { return m->at[i * m->columns + j]; }
static inline double square(const matrix *m, int i, int j) { return cell(m, i, j) * cell(m, i, j); }

void scaled(vector *v, double by)
{
#pragma scop
    for (size i = 0; i < v->n; i++)
        set(v, i, by * get(v, i));
#pragma endscop
}

double norm(const matrix *m)
{
    double sum = 0;
#pragma scop
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->columns; j++)
            sum += square(m, i, j);
#pragma endscop
    return sum;
}

void product(const matrix *a, const matrix *b, matrix *c)
{
#pragma scop
    for (int i = 0; i < c->rows; i++)
        for (int j = 0; j < c->columns; j++) {
            float sum = 0;
            for (int k = 0; k < a->columns; k++)
                sum += cell(a, i, k) * cell(b, k, j);
            c->at[i * c->columns + j] = sum;
        }
#pragma endscop
}
