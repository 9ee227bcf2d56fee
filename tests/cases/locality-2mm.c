/* why: the locality model's section 6.1: k before j, so that lines of B, C, T and D are walked along innermost
 * run: --strategy locality-cpu --no-tile
 * show: schedule code
 * at: ni=3 nj=4 nk=5 nl=6
 */
#include <stdio.h>

static void products(int ni, int nj, int nk, int nl, double alpha, double beta, double T[ni][nj], double A[ni][nk],
                     double B[nk][nj], double C[nj][nl], double D[ni][nl])
{
#pragma scop
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            T[i][j] = 0.0;
            for (int k = 0; k < nk; k++)
                T[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            D[i][j] *= beta;
            for (int k = 0; k < nj; k++)
                D[i][j] += T[i][k] * C[k][j];
        }
#pragma endscop
}

int main(void)
{
    static double T[9][11], A[9][8], B[8][11], C[11][10], D[9][10];
    for (int i = 0; i < 11; i++)
        for (int j = 0; j < 8; j++) {
            if (i < 9)
                A[i][j] = i - 0.5 * j;
            B[j][i] = 0.25 * i + j;
            C[i][j] = i - j;
        }
    products(9, 11, 8, 10, 1.5, 0.5, T, A, B, C, D);
    for (int i = 0; i < 9; i++)
        printf("%a %a\n", T[i][(5 * i) % 11], D[i][(3 * i) % 10]);
    return 0;
}
