/* why: four statements of two shapes have a row each
 * run: --tile-sizes 3,6 --time-tiles rows
 * show: tree code
 * at: t=3 nx=5 ny=4
 */
#include <stdio.h>

static void step(int t, int nx, int ny, double ex[nx][ny], double ey[nx][ny], double hz[nx][ny], double in[t])
{
#pragma scop
    for (int s = 0; s < t; s++) {
        for (int j = 0; j < ny; j++)
            ey[0][j] = in[s];
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
#pragma endscop
}

int main(void)
{
    static double ex[31][37], ey[31][37], hz[31][37], in[13];
    for (int i = 0; i < 31; i++)
        for (int j = 0; j < 37; j++) {
            ex[i][j] = (i + 2 * j) % 15;
            ey[i][j] = (3 * i + j) % 17;
            hz[i][j] = (5 * i + 4 * j) % 19;
        }
    for (int s = 0; s < 13; s++)
        in[s] = s % 5;
    step(13, 31, 37, ex, ey, hz, in);
    for (int i = 0; i < 31; i++)
        printf("%a %a %a\n", ex[i][(i * 5) % 37], ey[i][(i * 7) % 37], hz[i][(i * 11) % 37]);
    return 0;
}
