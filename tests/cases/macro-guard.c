/* why: the value of a macro that went into the region is tested where the result is compiled
 * run: --no-tile
 * show: scop code
 * at:
 */
#include <stdio.h>

#ifndef SIZE
#define SIZE 30
#endif
#define AT(i) a[i]

static double a[SIZE];

int main(void)
{
#pragma scop
    for (int i = 1; i < SIZE; i++)
        AT(i) = AT(i - 1) + 1.0;
#pragma endscop
    printf("%a\n", a[SIZE - 1]);
    return 0;
}
