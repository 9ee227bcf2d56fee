/* doitgen: multiresolution kernel, A[r][q][p] = sum over s of A[r][q][s] * C[s][p], in place.
 * Stresses a work vector that is reused for every (r, q) and forbids parallelism until it is expanded. */
#include "common.h"

#ifndef NR
#define NR 110
#endif
#ifndef NQ
#define NQ 100
#endif
#ifndef NP
#define NP 120
#endif

static void init(int nr, int nq, int np, double A[nr][nq][np], double C[np][np])
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++)
            for (int p = 0; p < np; p++)
                A[r][q][p] = ((3 * r + 5 * q + p) % 22 + 1) / 22.0;
    for (int s = 0; s < np; s++)
        for (int p = 0; p < np; p++)
            C[s][p] = ((2 * s + 7 * p) % 20 + 1) / 20.0;
}

static void kernel_doitgen(int nr, int nq, int np, double A[nr][nq][np], double C[np][np], double work[np])
{
    int r, q, p, s;

#pragma scop
    for (r = 0; r < nr; r++)
        for (q = 0; q < nq; q++) {
            for (p = 0; p < np; p++) {
                work[p] = 0.0;
                for (s = 0; s < np; s++)
                    work[p] += A[r][q][s] * C[s][p];
            }
            for (p = 0; p < np; p++)
                A[r][q][p] = work[p];
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int nr = NR, nq = NQ, np = NP;
    read_sizes(argc, argv, "NR NQ NP", 3, (int *[]){&nr, &nq, &np});

    double (*A)[nq][np] = allocate(sizeof(double[nr][nq][np]));
    double (*C)[np] = allocate(sizeof(double[np][np]));
    double *work = allocate(sizeof(double[np]));
    init(nr, nq, np, A, C);

    double start = now();
    kernel_doitgen(nr, nq, np, A, C, work);
    double seconds = now() - start;

    report(seconds, checksum_double(&A[0][0][0], (size_t)nr * nq * np));
    free(A);
    free(C);
    free(work);
    return 0;
}
