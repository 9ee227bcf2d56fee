/* 2mm: two matrix products in a row, D = alpha A B C + beta D, through T = alpha A B.
 * Stresses fusion: the second product consumes the first one's result row by row. */
#include "common.h"

#ifndef NI
#define NI 440
#endif
#ifndef NJ
#define NJ 460
#endif
#ifndef NK
#define NK 480
#endif
#ifndef NL
#define NL 500
#endif

static void init(int ni, int nj, int nk, int nl, double A[ni][nk], double B[nk][nj],
                 double C[nj][nl], double D[ni][nl])
{
    for (int i = 0; i < ni; i++)
        for (int k = 0; k < nk; k++)
            A[i][k] = ((3 * i + k) % 11 + 1) / 11.0;
    for (int k = 0; k < nk; k++)
        for (int j = 0; j < nj; j++)
            B[k][j] = ((k + 5 * j) % 13 + 1) / 13.0;
    for (int j = 0; j < nj; j++)
        for (int l = 0; l < nl; l++)
            C[j][l] = ((7 * j + 2 * l) % 17 + 1) / 17.0;
    for (int i = 0; i < ni; i++)
        for (int l = 0; l < nl; l++)
            D[i][l] = ((2 * i + 9 * l) % 19) / 19.0;
}

static void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta,
                       double T[ni][nj], double A[ni][nk], double B[nk][nj],
                       double C[nj][nl], double D[ni][nl])
{
    int i, j, k;

#pragma scop
    for (i = 0; i < ni; i++)
        for (j = 0; j < nj; j++) {
            T[i][j] = 0.0;
            for (k = 0; k < nk; k++)
                T[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (i = 0; i < ni; i++)
        for (j = 0; j < nl; j++) {
            D[i][j] *= beta;
            for (k = 0; k < nj; k++)
                D[i][j] += T[i][k] * C[k][j];
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int ni = NI, nj = NJ, nk = NK, nl = NL;
    read_sizes(argc, argv, "NI NJ NK NL", 4, (int *[]){&ni, &nj, &nk, &nl});

    double (*T)[nj] = allocate(sizeof(double[ni][nj]));
    double (*A)[nk] = allocate(sizeof(double[ni][nk]));
    double (*B)[nj] = allocate(sizeof(double[nk][nj]));
    double (*C)[nl] = allocate(sizeof(double[nj][nl]));
    double (*D)[nl] = allocate(sizeof(double[ni][nl]));
    init(ni, nj, nk, nl, A, B, C, D);

    double start = now();
    kernel_2mm(ni, nj, nk, nl, 1.5, 1.25, T, A, B, C, D);
    double seconds = now() - start;

    report(seconds, checksum_double(&D[0][0], (size_t)ni * nl));
    free(T);
    free(A);
    free(B);
    free(C);
    free(D);
    return 0;
}
