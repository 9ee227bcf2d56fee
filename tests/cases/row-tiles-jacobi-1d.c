/* why: a row is all of space, so that tiles cut it into pieces
 * run: --tile-sizes 8,16 --time-tiles rows
 * show: tree code
 * at: t=4 n=9
 */
#include <stdio.h>

static void sweep(int t, int n, double a[n], double b[n])
{
#pragma scop
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
#pragma endscop
}

int main(void)
{
    static double a[203], b[203];
    for (int i = 0; i < 203; i++)
        a[i] = i % 17;
    sweep(61, 203, a, b);
    for (int i = 0; i < 203; i++)
        printf("%a %a\n", a[i], b[i]);
    return 0;
}
