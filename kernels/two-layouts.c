/* two-layouts: one loop nest scales two matrices, of which one lies transposed in memory:
 * c = b a over [j][i], d = x e over [i][j]. PolyTOPS (CGO 2024) opens with it: figure 1 has the sizes 100 10.
 * Wants distribution and an interchange of the first statement only, so that both have unit stride. */
#include "common.h"

#ifndef NI
#define NI 2600
#endif
#ifndef NJ
#define NJ 2400
#endif

static void init(int ni, int nj, float a[nj][ni], float e[ni][nj])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            a[j][i] = (float)((4 * i + 7 * j) % 25 + 1) / 25.0f;
            e[i][j] = (float)((5 * i + 2 * j) % 21 + 1) / 21.0f;
        }
}

static void kernel_two_layouts(int ni, int nj, float b, float x, float a[nj][ni], float c[nj][ni],
                               float d[ni][nj], float e[ni][nj])
{
#pragma scop
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            c[j][i] = a[j][i] * b;
            d[i][j] = e[i][j] * x;
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int ni = NI, nj = NJ;
    read_sizes(argc, argv, "NI NJ", 2, (int *[]){&ni, &nj});

    float (*a)[ni] = allocate(sizeof(float[nj][ni]));
    float (*c)[ni] = allocate(sizeof(float[nj][ni]));
    float (*d)[nj] = allocate(sizeof(float[ni][nj]));
    float (*e)[nj] = allocate(sizeof(float[ni][nj]));
    init(ni, nj, a, e);

    double start = now();
    kernel_two_layouts(ni, nj, 1.5f, 0.75f, a, c, d, e);
    double seconds = now() - start;

    size_t count = (size_t)ni * nj;
    report(seconds, checksum_float(&c[0][0], count) + 0.5 * checksum_float(&d[0][0], count));
    free(a);
    free(c);
    free(d);
    free(e);
    return 0;
}
