/* why: several regions in one file, each replaced in its place; all other bytes stay
 * run: --no-tile
 * show: file
 * at: n=7
 */
#include <stdio.h>

static int calls = 0; /* keep	this */

static void scale(int n, double *a)
{
    calls++;
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] *= 2.0;
#pragma endscop
    if (n > 3) {
        int i;
        #pragma scop
        for (i = 1; i < n; i++)
            a[i] += a[i - 1];
        #pragma endscop
        printf("%d\n", i);
    }
}

int main(void)
{
    double a[20];
    for (int i = 0; i < 20; i++)
        a[i] = i;
    scale(20, a);
    printf("%d %a\n", calls, a[19]);
    return 0;
}
