/* trsml-off-diag: the operator that applies the part below the diagonal of a lower triangular tile,
 * b[i] -= a[i][j] b[j] for j < i in order (a solve with unit diagonal), the columns of b in blocks of 16, and
 * the product through a temporary, float. PolyTOPS (CGO 2024, figure 3): ROW 16 and COL 16, 32, ... 112.
 * Wants the block l outermost and parallel, and the 16 columns innermost, in the lanes of two loops. */
#include "common.h"

#ifndef ROW
#define ROW 16
#endif
#ifndef COL
#define COL 112
#endif
#ifndef REPEAT
#define REPEAT 5000
#endif

static void init(int row, int col, int tile, float a[row][row], float b[row][col])
{
    for (int i = 0; i < row; i++) {
        for (int j = 0; j < row; j++)
            a[i][j] = (float)((5 * i + j + tile) % 11 - 5) / 44.0f;
        for (int j = 0; j < col; j++)
            b[i][j] = (float)((i + 3 * j + 2 * tile) % 17 + 1) / 17.0f;
    }
}

static void kernel_trsml_off_diag(int row, int col, float a[row][row], float b[row][col],
                                  float product[row][col])
{
#pragma scop
    for (int i = 0; i < row; i++)
        for (int j = 0; j < i; j++)
            for (int l = 0; l < col / 16; l++)
                for (int k = 0; k < 16; k++) {
                    product[i][l * 16 + k] = a[i][j] * b[j][l * 16 + k];
                    b[i][l * 16 + k] = b[i][l * 16 + k] - product[i][l * 16 + k];
                }
#pragma endscop
}

int main(int argc, char **argv)
{
    int row = ROW, col = COL, repeat = REPEAT;
    read_sizes(argc, argv, "ROW COL REPEAT", 3, (int *[]){&row, &col, &repeat});

    float (*a)[row] = allocate(sizeof(float[row][row]));
    float (*b)[col] = allocate(sizeof(float[row][col]));
    float (*product)[col] = allocate(sizeof(float[row][col]));
    double seconds = 0.0, sum = 0.0;
    for (int tile = 0; tile < repeat; tile++) {
        init(row, col, tile, a, b);
        double start = now();
        kernel_trsml_off_diag(row, col, a, b, product);
        seconds += now() - start;
        sum += (tile % 3 + 1) * checksum_float(&b[0][0], (size_t)row * col);
    }

    report(seconds, sum);
    free(a);
    free(b);
    free(product);
    return 0;
}
