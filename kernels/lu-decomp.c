/* lu-decomp: the operator that factors one small square tile in place, A = L U, by eliminating one column
 * after the other, float. PolyTOPS (CGO 2024, table I) has it as "LU decomp" with N = 16.
 * Wants the last loop in vector lanes: the tile is too small for tiles or threads. REPEAT tiles are timed. */
#include "common.h"

#ifndef N
#define N 16
#endif
#ifndef REPEAT
#define REPEAT 60000
#endif

static void init(int n, int tile, float A[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = (float)((2 * i + 3 * j + tile) % 13) / 13.0f + (i == j ? (float)n : 0.0f);
}

static void kernel_lu_decomp(int n, float A[n][n])
{
#pragma scop
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            A[i][k] /= A[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N, repeat = REPEAT;
    read_sizes(argc, argv, "N REPEAT", 2, (int *[]){&n, &repeat});

    float (*A)[n] = allocate(sizeof(float[n][n]));
    double seconds = 0.0, sum = 0.0;
    for (int tile = 0; tile < repeat; tile++) {
        init(n, tile, A);
        double start = now();
        kernel_lu_decomp(n, A);
        seconds += now() - start;
        sum += (tile % 3 + 1) * checksum_float(&A[0][0], (size_t)n * n);
    }

    report(seconds, sum);
    free(A);
    return 0;
}
