/* why: a sum that a statement of several assignments adds to gets a place for each of its values, too: within the statement one place takes that of another, and
 *      nothing else there touches it
 * run: --expand --no-tile
 * show: code
 * at: n=3 m=4
 */
#include <math.h>
#include <stdio.h>

static void softmax(int n, int m, double out[restrict n][m], double in[restrict n][m])
{
    double sum;
#pragma scop
    for (int i = 0; i < n; i++) {
        sum = 0.0;
        for (int j = 0; j < m; j++) {
            double e = exp(in[i][j]);
            sum += e;
            out[i][j] = e;
        }
        for (int j = 0; j < m; j++)
            out[i][j] /= sum;
    }
#pragma endscop
}

int main(void)
{
    static double out[5][6], in[5][6];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            in[i][j] = (i * 6 + j) % 7 - 3.0;
    softmax(5, 6, out, in);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            printf("%a\n", out[i][j]);
    return 0;
}
