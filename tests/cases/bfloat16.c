/* why: `__bf16` is a type like others: of arguments, of a variable that an iteration has, of sums in parts, and of operands that are summed up in `float`
 * run: --strategy pluto --no-tile --deterministic
 * show: scop code
 * at: n=7
 */
#include <stdio.h>

typedef __bf16 bfloat;

static void layer(int n, bfloat bias, const bfloat W[restrict n][n], const bfloat x[restrict n], float y[restrict n],
                  bfloat out[restrict n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += (float)W[i][j] * (float)x[j];
    }
    for (int i = 0; i < n; i++) {
        bfloat z = (bfloat)y[i] * (bfloat)0.1f + bias;
        out[i] = z > 0 ? z : z / 16;
    }
#pragma endscop
}

static void greatest(int n, const bfloat x[restrict n], bfloat *restrict most)
{
#pragma scop
    for (int i = 0; i < n; i++)
        *most = x[i] > *most ? x[i] : *most;
#pragma endscop
}

int main(void)
{
    static bfloat W[65][65], x[65], out[65], most;
    static float y[65];
    for (int i = 0; i < 65; i++) {
        x[i] = i * 7 % 5 - 1.5f;
        for (int j = 0; j < 65; j++)
            W[i][j] = (i * 13 + j * 29) % 31 / 8.0f - 1.7f;
    }
    layer(65, (bfloat)0.25f, W, x, y, out);
    most = -9;
    greatest(65, out, &most);
    for (int i = 0; i < 65; i++)
        printf("%.9g %.9g\n", (double)y[i], (double)out[i]);
    printf("%.9g\n", (double)most);
    return 0;
}
