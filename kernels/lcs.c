/* lcs: length of the longest common subsequence of two strings, by the table
 * t[i][j] = t[i-1][j-1] + 1 where the characters agree, else max(t[i-1][j], t[i][j-1]).
 * Stresses a wavefront in two dimensions with an if/else decided by data, over int data. */
#include "common.h"

#ifndef M
#define M 9000
#endif
#ifndef N
#define N 8500
#endif

static void init(int m, int n, int s[m], int r[n], int t[m + 1][n + 1])
{
    for (int i = 0; i < m; i++)
        s[i] = (i * 7 % 11 + i / 5) % 4;
    for (int j = 0; j < n; j++)
        r[j] = (j * 5 % 13 + j / 7) % 4;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++)
            t[i][j] = -1;
}

static void kernel_lcs(int m, int n, int s[m], int r[n], int t[m + 1][n + 1])
{
    int i, j;

#pragma scop
    for (i = 0; i <= m; i++)
        t[i][0] = 0;
    for (j = 1; j <= n; j++)
        t[0][j] = 0;
    for (i = 1; i <= m; i++)
        for (j = 1; j <= n; j++) {
            if (s[i - 1] == r[j - 1])
                t[i][j] = t[i - 1][j - 1] + 1;
            else
                t[i][j] = t[i - 1][j] > t[i][j - 1] ? t[i - 1][j] : t[i][j - 1];
        }
#pragma endscop
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    read_sizes(argc, argv, "M N", 2, (int *[]){&m, &n});

    int *s = allocate(sizeof(int[m]));
    int *r = allocate(sizeof(int[n]));
    int (*t)[n + 1] = allocate(sizeof(int[m + 1][n + 1]));
    init(m, n, s, r, t);

    double start = now();
    kernel_lcs(m, n, s, r, t);
    double seconds = now() - start;

    report(seconds, checksum_int(&t[0][0], (size_t)(m + 1) * (n + 1)));
    free(s);
    free(r);
    free(t);
    return 0;
}
