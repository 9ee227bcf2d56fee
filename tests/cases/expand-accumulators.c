/* why: a hand keeps eight sums in a small array and a factor in a scalar. The sums live in the elements where they end up, the factor is read where it comes from:
 *      what remains is a product, which may be tiled
 * run: --expand --no-tile
 * show: code
 * at: n=2 m=3 k=2
 */
#include <stdio.h>

static void product(int n, int m, int k, float out[restrict 8 * n][m], float a[restrict 8 * n][k], float b[restrict m][k])
{
#pragma scop
    for (int it = 0; it < n; it++)
        for (int j = 0; j < m; j++) {
            float sum[8];
            for (int i = 0; i < 8; i++)
                sum[i] = 0.5f;
            for (int l = 0; l < k; l++) {
                float factor = b[j][l];
                for (int i = 0; i < 8; i++)
                    sum[i] += a[8 * it + i][l] * factor;
            }
            for (int i = 0; i < 8; i++)
                out[8 * it + i][j] = sum[i];
        }
#pragma endscop
}

int main(void)
{
    static float out[24][5], a[24][7], b[5][7];
    for (int i = 0; i < 24; i++)
        for (int l = 0; l < 7; l++) {
            a[i][l] = (float)((i * 5 + l) % 11) - 4.0f;
            b[i % 5][l] = (float)((i + 3 * l) % 7) / 2.0f;
        }
    product(3, 5, 7, out, a, b);
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 5; j++)
            printf("%g\n", (double)out[i][j]);
    return 0;
}
