/* fused-mul-sub: two fused element-wise tensor operators, B = 2 A + 1/2 and C[i][j] -= B[i][k] D[k][i][j]
 * summed over k: the running example of scheduling constraint injection (CGO 2022, figure 2).
 * Wants i parallel, k next with both statements fused, and j innermost, where C and D are contiguous. */
#include "common.h"

#ifndef N
#define N 240
#endif

static void init(int n, float A[n][n], float C[n][n], float D[n][n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] = (float)((3 * i + 5 * j) % 16 + 1) / 32.0f;
            C[i][j] = (float)((i + 2 * j) % 9 + 1) / 9.0f;
            for (int k = 0; k < n; k++)
                D[k][i][j] = (float)((2 * i + 7 * j + k) % 20) / 200.0f;
        }
}

static void kernel_fused_mul_sub(int n, float A[n][n], float B[n][n], float C[n][n], float D[n][n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            B[i][k] = 2.0f * A[i][k] + 0.5f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] -= B[i][k] * D[k][i][j];
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    float (*A)[n] = allocate(sizeof(float[n][n]));
    float (*B)[n] = allocate(sizeof(float[n][n]));
    float (*C)[n] = allocate(sizeof(float[n][n]));
    float (*D)[n][n] = allocate(sizeof(float[n][n][n]));
    init(n, A, C, D);

    double start = now();
    kernel_fused_mul_sub(n, A, B, C, D);
    double seconds = now() - start;

    size_t count = (size_t)n * n;
    report(seconds, checksum_float(&C[0][0], count) + 0.5 * checksum_float(&B[0][0], count));
    free(A);
    free(B);
    free(C);
    free(D);
    return 0;
}
