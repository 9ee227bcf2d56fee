/* gemm: general matrix product, C = alpha A B + beta C.
 * Stresses tiling, loop permutation and register tiling of one deep band with a reduction. */
#include "common.h"

#ifndef NI
#define NI 700
#endif
#ifndef NJ
#define NJ 720
#endif
#ifndef NK
#define NK 740
#endif

static void init(int ni, int nj, int nk, double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++)
            C[i][j] = ((5 * i + 3 * j) % 13) / 13.0;
    for (int i = 0; i < ni; i++)
        for (int k = 0; k < nk; k++)
            A[i][k] = ((2 * i + 7 * k) % 17 + 1) / 17.0;
    for (int k = 0; k < nk; k++)
        for (int j = 0; j < nj; j++)
            B[k][j] = ((3 * k + 4 * j) % 19 + 1) / 19.0;
}

static void kernel_gemm(int ni, int nj, int nk, double alpha, double beta,
                        double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
#pragma scop
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C[i][j] *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int ni = NI, nj = NJ, nk = NK;
    read_sizes(argc, argv, "NI NJ NK", 3, (int *[]){&ni, &nj, &nk});

    double (*C)[nj] = allocate(sizeof(double[ni][nj]));
    double (*A)[nk] = allocate(sizeof(double[ni][nk]));
    double (*B)[nj] = allocate(sizeof(double[nk][nj]));
    init(ni, nj, nk, C, A, B);

    double start = now();
    kernel_gemm(ni, nj, nk, 1.5, 1.25, C, A, B);
    double seconds = now() - start;

    report(seconds, checksum_double(&C[0][0], (size_t)ni * nj));
    free(C);
    free(A);
    free(B);
    return 0;
}
