/* 3mm: product of two products, G = (A B)(C D), through E = A B and F = C D.
 * Stresses fusion decisions: E may be fused with G by rows, F by columns, never both for free. */
#include "common.h"

#ifndef NI
#define NI 360
#endif
#ifndef NJ
#define NJ 380
#endif
#ifndef NK
#define NK 400
#endif
#ifndef NL
#define NL 420
#endif
#ifndef NM
#define NM 440
#endif

static void init(int rows, int columns, int a, int b, int modulus, double M[rows][columns])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            M[i][j] = ((a * i + b * j) % modulus + 1) / (double)modulus;
}

static void kernel_3mm(int ni, int nj, int nk, int nl, int nm,
                       double A[ni][nk], double B[nk][nj], double C[nj][nm], double D[nm][nl],
                       double E[ni][nj], double F[nj][nl], double G[ni][nl])
{
#pragma scop
    /* E = A B */
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            E[i][j] = 0.0;
            for (int k = 0; k < nk; ++k)
                E[i][j] += A[i][k] * B[k][j];
        }
    /* F = C D */
    for (int i = 0; i < nj; i++)
        for (int j = 0; j < nl; j++) {
            F[i][j] = 0.0;
            for (int k = 0; k < nm; ++k)
                F[i][j] += C[i][k] * D[k][j];
        }
    /* G = E F */
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            G[i][j] = 0.0;
            for (int k = 0; k < nj; ++k)
                G[i][j] += E[i][k] * F[k][j];
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int ni = NI, nj = NJ, nk = NK, nl = NL, nm = NM;
    read_sizes(argc, argv, "NI NJ NK NL NM", 5, (int *[]){&ni, &nj, &nk, &nl, &nm});

    double (*A)[nk] = allocate(sizeof(double[ni][nk]));
    double (*B)[nj] = allocate(sizeof(double[nk][nj]));
    double (*C)[nm] = allocate(sizeof(double[nj][nm]));
    double (*D)[nl] = allocate(sizeof(double[nm][nl]));
    double (*E)[nj] = allocate(sizeof(double[ni][nj]));
    double (*F)[nl] = allocate(sizeof(double[nj][nl]));
    double (*G)[nl] = allocate(sizeof(double[ni][nl]));
    init(ni, nk, 3, 1, 11, A);
    init(nk, nj, 1, 5, 13, B);
    init(nj, nm, 7, 2, 17, C);
    init(nm, nl, 4, 3, 7, D);

    double start = now();
    kernel_3mm(ni, nj, nk, nl, nm, A, B, C, D, E, F, G);
    double seconds = now() - start;

    report(seconds, checksum_double(&G[0][0], (size_t)ni * nl));
    free(A);
    free(B);
    free(C);
    free(D);
    free(E);
    free(F);
    free(G);
    return 0;
}
