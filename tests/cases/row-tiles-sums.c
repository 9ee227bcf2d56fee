/* why: statements of a row that nothing keeps apart share a loop
 * run: --recipe row-tiles-sums.json --fuse max --reassociate
 * show: code
 */
#include <stdio.h>

static void sums(double a[6][5][16], double b[6][5][16], double p[16], double q[16])
{
    double s[6][5][16], t[6][5][16];
#pragma scop
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 16; k++)
                s[i][j][k] = a[i][j][k] + b[i][j][k];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 16; k++)
                t[i][j][k] = a[i][j][k] * b[i][j][k];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 16; k++)
                p[k] += s[i][j][k];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 16; k++)
                q[k] += t[i][j][k];
#pragma endscop
}

int main(void)
{
    static double a[6][5][16], b[6][5][16], p[16], q[16];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 16; k++) {
                a[i][j][k] = (i + 2 * j + 3 * k) % 13; /* small integers: sums are exact */
                b[i][j][k] = (5 * i + j + 7 * k) % 17;
            }
    sums(a, b, p, q);
    for (int k = 0; k < 16; k++)
        printf("%a %a\n", p[k], q[k]);
}
