/* tensor-contraction: C[a][b][i][j] += sum over c and k of A[a][c][i][k] B[b][c][k][j], as in
 * coupled-cluster chemistry.
 * Stresses the choice of loop order in a six-deep permutable band over 4-index arrays. */
#include "common.h"

#ifndef NV
#define NV 24
#endif
#ifndef NO
#define NO 20
#endif

static void init(int nv, int no, double C[nv][nv][no][no], double A[nv][nv][no][no],
                 double B[nv][nv][no][no])
{
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++)
            for (int i = 0; i < no; i++)
                for (int j = 0; j < no; j++) {
                    A[a][b][i][j] = ((a + 3 * b + 5 * i + 2 * j) % 9 + 1) / 9.0;
                    B[a][b][i][j] = ((4 * a + b + 2 * i + 7 * j) % 10 + 1) / 10.0;
                    C[a][b][i][j] = ((a + b + i + j) % 4) / 4.0;
                }
}

static void kernel_tensor_contraction(int nv, int no, double C[nv][nv][no][no],
                                      double A[nv][nv][no][no], double B[nv][nv][no][no])
{
    int a, b, c, i, j, k;

#pragma scop
    for (a = 0; a < nv; a++)
        for (b = 0; b < nv; b++)
            for (i = 0; i < no; i++)
                for (j = 0; j < no; j++)
                    for (c = 0; c < nv; c++)
                        for (k = 0; k < no; k++)
                            C[a][b][i][j] += A[a][c][i][k] * B[b][c][k][j];
#pragma endscop
}

int main(int argc, char **argv)
{
    int nv = NV, no = NO;
    read_sizes(argc, argv, "NV NO", 2, (int *[]){&nv, &no});

    size_t bytes = sizeof(double[nv][nv][no][no]);
    double (*C)[nv][no][no] = allocate(bytes);
    double (*A)[nv][no][no] = allocate(bytes);
    double (*B)[nv][no][no] = allocate(bytes);
    init(nv, no, C, A, B);

    double start = now();
    kernel_tensor_contraction(nv, no, C, A, B);
    double seconds = now() - start;

    report(seconds, checksum_double(&C[0][0][0][0], bytes / sizeof(double)));
    free(C);
    free(A);
    free(B);
    return 0;
}
