/* why: what is wrong in the body of a function is told at its call; what returns early or calls itself stays a call */
#include <stdio.h>

static void show(double *x)
{
    printf("%f", *x);
}

static void first(double *x)
{
    if (*x > 0)
        return;
    *x = 0;
}

static void again(double *x, int n)
{
    if (n > 0)
        again(x, n - 1);
}

void f(int n, double *x)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        show(x + i);
        first(x + i);
        again(x, i);
    }
#pragma endscop
}
