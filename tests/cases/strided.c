/* why: a stride is an iterator counted upward by one; the generated loop steps as the user's did
 * run: --no-tile
 * show: scop code
 * at: n=23
 */
#include <stdio.h>

static void thirds(int n, double *a, const double *b)
{
#pragma scop
    for (int i = 1; i < n; i += 3)
        a[i] = a[i - 1] + b[i];
    for (int i = 0; i < n; i += 2)
        a[i] += 1.0;
#pragma endscop
}

int main(void)
{
    static double a[101], b[101];
    for (int i = 0; i < 101; i++)
        b[i] = i;
    thirds(101, a, b);
    for (int i = 0; i < 101; i++)
        printf("%a\n", a[i]);
    return 0;
}
