/* floyd-warshall: shortest paths between all pairs, d[i][j] = min(d[i][j], d[i][k] + d[k][j]).
 * Stresses a minimum as a conditional, in place, over a global int matrix with a fixed size. */
#include "common.h"

#ifndef N
#define N 700
#endif

static int d[N][N];

/* A sparse graph: a ring, and some chords; other pairs start far apart. */
static void init(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int mix = (7 * i + 11 * j) % 23;
            d[i][j] = i == j ? 0 : j == (i + 1) % n ? 9 : mix < 2 ? 40 + mix + (i + j) % 50 : 100000;
        }
}

static void kernel_floyd_warshall(int n)
{
    int i, j, k;

#pragma scop
    for (k = 0; k < n; k++)
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});
    if (n > N)
        usage(argv[0], "N, at most the compiled N");
    init(n);

    double start = now();
    kernel_floyd_warshall(n);
    double seconds = now() - start;

    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (i % 7 + 1) * checksum_int(d[i], n);
    report(seconds, sum);
    return 0;
}
