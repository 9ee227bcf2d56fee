/* why: rows that are computed beside the array that they take the place of get a buffer in each iteration of the parallel loop, where parameters are as small as the declared array says; the last iteration copies back what the caller sees
 * run: --expand --register-tiles --fuse max
 * show: code
 * at: n=6 k=40 m=25
 */
#include <stdio.h>

static void transform(int n, int k, int m, double a[6][40][25], double c[25][25], double row[25])
{
#pragma scop
    for (int r = 0; r < n; r++)
        for (int q = 0; q < k; q++) {
            for (int p = 0; p < m; p++) {
                row[p] = 0.0;
                for (int s = 0; s < m; s++)
                    row[p] += a[r][q][s] * c[s][p];
            }
            for (int p = 0; p < m; p++)
                a[r][q][p] = row[p];
        }
#pragma endscop
}

static double a[6][40][25], c[25][25], row[25];

static void run(int n, int k, int m)
{
    for (int r = 0; r < 6; r++)
        for (int q = 0; q < 40; q++)
            for (int p = 0; p < 25; p++)
                a[r][q][p] = (r * q + p) % 13 / 13.0;
    for (int s = 0; s < 25; s++)
        for (int p = 0; p < 25; p++)
            c[s][p] = (s * p) % 17 / 17.0;
    transform(n, k, m, a, c, row);
    for (int p = 0; p < 25; p++) {
        printf("%.17g", row[p]);
        for (int r = 0; r < 6; r++)
            for (int q = 0; q < 40; q++)
                printf(" %.17g", a[r][q][p]);
        printf("\n");
    }
}

int main(void)
{
    run(6, 40, 25);
    run(5, 39, 24);
    run(1, 2, 3);
    run(0, 8, 9);
    run(7, 41, 0);
    return 0;
}
