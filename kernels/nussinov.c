/* nussinov: RNA folding, the largest number of nested base pairs in each subsequence i..j:
 * best of leaving i or j alone, pairing i with j, or splitting at some k.
 * Stresses dynamic programming over intervals with a descending loop, affine guards, int data. */
#include "common.h"

#ifndef N
#define N 1000
#endif

#define PAIRED(a, b) ((a) + (b) == 3 ? 1 : 0)
#define MAX(a, b) ((a) >= (b) ? (a) : (b))

/* Bases are 0 to 3; 0 pairs with 3, 1 with 2. */
static void init(int n, int base[n], int best[n][n])
{
    for (int i = 0; i < n; i++) {
        base[i] = (i + i / 3 + i / 7) % 4;
        for (int j = 0; j < n; j++)
            best[i][j] = 0;
    }
}

static void kernel_nussinov(int n, int base[n], int best[n][n])
{
#pragma scop
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            best[i][j] = MAX(best[i][j], best[i][j - 1]);
            best[i][j] = MAX(best[i][j], best[i + 1][j]);
            if (i < j - 1)
                best[i][j] = MAX(best[i][j], best[i + 1][j - 1] + PAIRED(base[i], base[j]));
            else
                best[i][j] = MAX(best[i][j], best[i + 1][j - 1]);
            for (int k = i + 1; k < j; k++)
                best[i][j] = MAX(best[i][j], best[i][k] + best[k + 1][j]);
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    int *base = allocate(sizeof(int[n]));
    int (*best)[n] = allocate(sizeof(int[n][n]));
    init(n, base, best);

    double start = now();
    kernel_nussinov(n, base, best);
    double seconds = now() - start;

    report(seconds, checksum_int(&best[0][0], (size_t)n * n));
    free(base);
    free(best);
    return 0;
}
