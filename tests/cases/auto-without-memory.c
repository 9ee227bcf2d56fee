/* why: places for all values of a temporary let products run in register tiles, where there is memory for them; beside that form stands the fastest
 *      one that needs none, and where the sum is short the original is not left for the copies of a product
 * run: --strategy auto
 * show: code
 * at: n=3 m=4 k=2
 */
#include <stdio.h>

static void nearest(int n, int m, int k, int *restrict at, const float x[restrict n][k], const float y[restrict m][k])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        float best = 0.0f;
        at[i] = 0;
        for (int j = 0; j < m; j++) {
            float likeness = 0.0f;
            for (int l = 0; l < k; l++)
                likeness += x[i][l] * y[j][l];
            if (likeness > best) {
                best = likeness;
                at[i] = j;
            }
        }
    }
#pragma endscop
}

static float x[90][70], y[80][70];
static int at[90];

int main(void)
{
    for (int i = 0; i < 90; i++)
        for (int l = 0; l < 70; l++) {
            x[i][l] = (float)(i * l % 13) - 5;
            y[i % 80][l] = (float)((i + 3) * l % 11) - 4;
        }
    nearest(90, 80, 70, at, (void *)x, (void *)y);
    for (int i = 0; i < 90; i++)
        printf("%d\n", at[i]);
    nearest(90, 80, 3, at, (void *)x, (void *)y);
    for (int i = 0; i < 90; i++)
        printf("%d\n", at[i]);
    return 0;
}
