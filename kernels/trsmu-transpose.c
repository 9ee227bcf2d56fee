/* trsmu-transpose: the operator that solves X U = B with U upper triangular on a tile, one row of B at a
 * time, on the transpose t of X (the unknowns of one row are a column of t), and the product through a
 * temporary, float. PolyTOPS (CGO 2024, table I): N 16 and M 16, 32, ... 112.
 * Wants the rows r innermost and in vector lanes: they are independent, and contiguous in t and product. */
#include "common.h"

#ifndef M
#define M 112
#endif
#ifndef N
#define N 16
#endif
#ifndef REPEAT
#define REPEAT 4000
#endif

static void init(int m, int n, int tile, float U[n][n], float B[m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            U[i][j] = (float)((3 * i + 4 * j + tile) % 12 - 5) / 24.0f + (i == j ? 3.0f : 0.0f);
    for (int r = 0; r < m; r++)
        for (int j = 0; j < n; j++)
            B[r][j] = (float)((2 * r + 5 * j + tile) % 19 + 1) / 19.0f;
}

static void kernel_trsmu_transpose(int m, int n, float U[n][n], float B[m][n], float t[n][m],
                                   float product[n][m])
{
#pragma scop
    for (int r = 0; r < m; r++) {
        for (int i = 0; i < n; i++)
            t[i][r] = B[r][i];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                product[i][r] = U[j][i] * t[j][r];
                t[i][r] = t[i][r] - product[i][r];
            }
            t[i][r] = t[i][r] / U[i][i];
        }
        for (int i = 0; i < n; i++)
            B[r][i] = t[i][r];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N, repeat = REPEAT;
    read_sizes(argc, argv, "M N REPEAT", 3, (int *[]){&m, &n, &repeat});

    float (*U)[n] = allocate(sizeof(float[n][n]));
    float (*B)[n] = allocate(sizeof(float[m][n]));
    float (*t)[m] = allocate(sizeof(float[n][m]));
    float (*product)[m] = allocate(sizeof(float[n][m]));
    double seconds = 0.0, sum = 0.0;
    for (int tile = 0; tile < repeat; tile++) {
        init(m, n, tile, U, B);
        double start = now();
        kernel_trsmu_transpose(m, n, U, B, t, product);
        seconds += now() - start;
        sum += (tile % 3 + 1) * checksum_float(&B[0][0], (size_t)m * n);
    }

    report(seconds, sum);
    free(U);
    free(B);
    free(t);
    free(product);
    return 0;
}
