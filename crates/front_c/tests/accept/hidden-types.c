typedef double real;
typedef struct vector vector;
struct vector {
    double *x;
    int n;
};
struct pair {
    double first, second;
};

void inner(int n, float *restrict a, const struct pair *restrict p, vector *v)
{
    typedef float real;
    struct pair {
        float first;
        int second;
    };
    real t[100];
    struct pair q[100];
#pragma scop
    for (int i = 0; i < n; i++) {
        t[i] = a[i];
        q[i].second = i;
        a[i] = t[i] + q[i].second;
    }
#pragma endscop
}

void outer(int n, double *restrict a, const struct pair *restrict p)
{
    real t[100];
#pragma scop
    for (int i = 0; i < n; i++) {
        t[i] = p[i].second;
        a[i] = t[i];
    }
#pragma endscop
}
