/* why: with the same bits for any number of threads, parts gather what they contribute in cells, which begin with the neutral element of the
 *      function and are combined by it; under a condition, where they are not neutral any more
 * run: --deterministic --no-tile
 * show: code
 */
#include <stdio.h>

static unsigned saturated(unsigned a, unsigned b)
{
    return a + b < a ? ~0u : a + b;
}

static unsigned char larger(unsigned char a, unsigned char b)
{
    return a > b ? a : b;
}

#pragma farkas reduction(saturated: total) neutral(0)
#pragma farkas reduction(larger: most) neutral(0)
static void sums(int n, int m, unsigned A[restrict n][m], unsigned total[restrict m],
                 unsigned char *restrict most)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            total[j] = saturated(total[j], A[i][j]);
    for (int i = 0; i < n; i++)
        if (A[i][0] % 3 > 0)
            most[0] = larger(most[0], A[i][0] % 251);
#pragma endscop
}

static unsigned A[3000][5], total[5];
static unsigned char most;

int main(void)
{
    for (int i = 0; i < 3000; i++)
        for (int j = 0; j < 5; j++)
            A[i][j] = i * (j == 3 ? 100000u : 7u) + j;
    for (int n = 0; n <= 3000; n = 3 * n + 1) {
        sums(n, 5, A, total, &most);
        for (int j = 0; j < 5; j++)
            printf(" %u", total[j]);
        printf(" %d\n", most);
    }
    return 0;
}
