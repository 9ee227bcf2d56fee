/* why: statements at different depths of one nest; fusing all puts the shallow ones at an end of the inner loop
 * run: --no-tile --fuse max
 * show: schedule code
 * at: n=7
 */
#include <stdio.h>

static void normalise(int n, double A[n][n], double s[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        s[i] = 0.0;
        for (int j = 0; j < n; j++)
            s[i] += A[i][j];
        s[i] = 1.0 / s[i];
        for (int j = 0; j < n; j++)
            A[i][j] *= s[i];
    }
#pragma endscop
}

int main(void)
{
    static double A[21][21], s[21];
    for (int i = 0; i < 21; i++)
        for (int j = 0; j < 21; j++)
            A[i][j] = 1 + i + j;
    normalise(21, A, s);
    for (int i = 0; i < 21; i++)
        printf("%a %a\n", s[i], A[i][20 - i]);
    return 0;
}
