/* why: variables declared inside the region: one value an iteration, none that is read after it
 * run: --no-tile
 * show: scop code
 * at: n=9
 */
#include <stdio.h>

static void smooth(int n, double *a, const double *b)
{
#pragma scop
    for (int i = 1; i < n - 1; i++) {
        double left = b[i] - b[i - 1], right = b[i + 1] - b[i];
        double sum = left * left;
        sum += right * right;
        a[i] = sum;
    }
#pragma endscop
}

int main(void)
{
    static double a[30], b[30];
    for (int i = 0; i < 30; i++)
        b[i] = i * i % 7;
    smooth(30, a, b);
    for (int i = 0; i < 30; i++)
        printf("%a\n", a[i]);
    return 0;
}
