/* why: the matrix product is what every reader knows: interchange for the innermost stride, one band, tiles
 * run: --tile-sizes 32
 * show: scop deps schedule tree code
 * at: n=7 m=5 p=6
 */
#include <stdio.h>

static void product(int n, int m, int p, double alpha, double beta, double C[n][m], double A[n][p], double B[p][m])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < p; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
#pragma endscop
}

int main(void)
{
    static double A[40][50], B[50][45], C[40][45];
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < 40; j++) {
            A[j][i] = i * 0.5 - j;
            B[i][j] = i + j * 0.25;
        }
    product(40, 45, 50, 1.5, 0.5, C, A, B);
    for (int i = 0; i < 40; i++)
        printf("%a\n", C[i][(7 * i) % 45]);
    return 0;
}
