/* why: control that is not static may surround a region: what it changes is a parameter inside
 * run: --no-tile
 * show: file
 * at: n=7
 */
#include <stdio.h>

int main(void)
{
    double a[64] = {0};
    int n = 64;
    while (n > 1) {
#pragma scop
        for (int i = 0; i < n; i++)
            a[i] += i * 0.5;
#pragma endscop
        n /= 2;
    }
    for (int i = 0; i < 64; i++)
        printf("%a\n", a[i]);
    return 0;
}
