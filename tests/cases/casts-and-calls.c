/* why: conversions, literals and calls of pure functions keep C's meaning, and their text
 * run: --no-tile
 * show: scop code
 */
#include <math.h>
#include <stdio.h>

static float half(float x)
{
    return x / 2;
}

static void mixed(int n, float *f, double *d, int *k, unsigned char *c)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        d[i] = sqrt((double)f[i]) + fabs(1e-3 * i - 0.5f);
        k[i] = (int)(d[i] * 100) % 7 + (i & 3);
        f[i] = half(f[i]) * 1.5f - (float)d[i] / 3;
        c[i] = (unsigned char)(k[i] << 2 | 1);
    }
#pragma endscop
}

int main(void)
{
    float f[25];
    double d[25];
    int k[25];
    unsigned char c[25];
    for (int i = 0; i < 25; i++)
        f[i] = i * 0.7f;
    mixed(25, f, d, k, c);
    for (int i = 0; i < 25; i++)
        printf("%a %a %d %d\n", f[i], d[i], k[i], c[i]);
    return 0;
}
