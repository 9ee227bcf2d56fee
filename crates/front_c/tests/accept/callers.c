/* What callers show: every call of a static function gives its parameters different objects. */
#include <stdlib.h>

static void *memory(size_t bytes)
{
    void *new = malloc(bytes);
    if (new == NULL)
        exit(1);
    return new;
}

static void gather(int n, const int *index, const double *from, double *to)
{
#pragma scop
    for (int i = 0; i < n; i++)
        to[i] = from[index[i]];
#pragma endscop
}

static int table[100];

double run(int n)
{
    double *a = memory(n * sizeof(double)), b[100];
    gather(n, table, b, a);
    gather(n / 2, &table[50], b + 1, a);
    double sum = a[0];
    free(a);
    return sum;
}
