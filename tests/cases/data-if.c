/* why: a condition on data stays inside one statement whose write may not happen, so it kills nothing before it
 * run: --no-tile
 * show: scop deps code
 * at: n=9
 */
#include <stdio.h>

static int clamp(int n, const double *x, double *y)
{
    int changed = 0;
#pragma scop
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
        if (x[i] > 0.5) {
            y[i] = 0.5;
            changed += 1;
        }
    }
#pragma endscop
    return changed;
}

int main(void)
{
    static double x[50], y[50];
    for (int i = 0; i < 50; i++)
        x[i] = (i * 7 % 13) / 13.0;
    printf("%d\n", clamp(50, x, y));
    for (int i = 0; i < 50; i++)
        printf("%a\n", y[i]);
    return 0;
}
