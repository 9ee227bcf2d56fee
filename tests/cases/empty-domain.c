/* why: a statement that never runs has an empty domain; it leaves no code behind and stops nothing
 * run: --no-tile
 * show: scop deps code
 * at: n=5
 */
#include <stdio.h>

static void never(int n, double *a)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        a[i] = 1.0;
        for (int j = 9; j < 4; j++)
            a[j] = 2.0;
        if (i < 0)
            a[i] = 3.0;
    }
#pragma endscop
}

int main(void)
{
    double a[20];
    never(20, a);
    printf("%a %a\n", a[3], a[19]);
    return 0;
}
