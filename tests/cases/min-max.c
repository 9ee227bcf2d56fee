/* why: bounds with minimum and maximum, as a macro and as several conditions; only those that are needed come back
 * run: --no-tile
 * show: scop code
 * at: n=9 w=2
 */
#include <stdio.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

static void band(int n, int w, double *y, double A[n][n], const double *x)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = MAX(0, i - w); j <= i + w && j < n; j++)
            y[i] += A[i][j] * x[j];
#pragma endscop
}

int main(void)
{
    static double y[20], A[20][20], x[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i;
        for (int j = 0; j < 20; j++)
            A[i][j] = i - j;
    }
    band(20, 4, y, A, x);
    for (int i = 0; i < 20; i++)
        printf("%a\n", y[i]);
    return 0;
}
