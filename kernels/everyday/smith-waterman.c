/* smith-waterman: the best local alignment of two sequences with affine gaps (Gotoh's three
 * recurrences), many short sequences against a long one, each pair's best score and its end.
 * Stresses dynamic programming in two rows kept by scalars (`diagonal`), maxima by `if` without an
 * else, a table of scores looked up by two letters, int16-sized numbers in int. */
// sizes: 12 60 2700 | 12 480 10000 | 12 960 15000
#include <stdint.h>

#include "common.h"

#define LETTERS 20

typedef struct {
    int score, row, column;
} hit;

static int max2(int a, int b)
{
    return a > b ? a : b;
}

/* h and e: a row of scores each, n + 1 long. */
static hit align(const uint8_t *query, int m, const uint8_t *text, int n,
                 const int8_t table[LETTERS][LETTERS], int *h, int *e)
{
    const int open = 11, extend = 1;
    hit best = {0, 0, 0};
    for (int j = 0; j <= n; j++) {
        h[j] = 0;
        e[j] = 0;
    }
    for (int i = 1; i <= m; i++) {
        const int8_t *gain = table[query[i - 1]];
        int diagonal = 0, f = 0;
        for (int j = 1; j <= n; j++) {
            int score = diagonal + gain[text[j - 1]];
            diagonal = h[j];
            e[j] = max2(e[j] - extend, h[j] - open);
            f = max2(f - extend, h[j - 1] - open);
            if (score < e[j])
                score = e[j];
            if (score < f)
                score = f;
            if (score < 0)
                score = 0;
            h[j] = score;
            if (score > best.score) {
                best.score = score;
                best.row = i;
                best.column = j;
            }
        }
    }
    return best;
}

int main(int argc, char **argv)
{
    int queries = 12, m = 480, n = 10000;
    read_sizes(argc, argv, "QUERIES QUERY TEXT", 3, (int *[]){&queries, &m, &n});

    uint8_t *text = allocate(n);
    uint8_t *query = allocate((size_t)queries * m);
    int *h = allocate((n + 1) * sizeof(int));
    int *e = allocate((n + 1) * sizeof(int));
    int *found = allocate((size_t)queries * 3 * sizeof(int));
    int8_t table[LETTERS][LETTERS];
    for (int i = 0; i < n; i++)
        text[i] = (uint8_t)((i * 7 + i / 5 + i / 37) % LETTERS);
    for (int i = 0; i < queries * m; i++)
        query[i] = (uint8_t)((i * 7 + i / 6 + i / 41) % LETTERS);
    for (int a = 0; a < LETTERS; a++)
        for (int b = 0; b < LETTERS; b++)
            table[a][b] = (int8_t)(a == b ? 5 : (a + b) % 5 - 3);

    double start = now();
    for (int q = 0; q < queries; q++) {
        hit best = align(query + q * m, m, text, n, table, h, e);
        found[3 * q] = best.score;
        found[3 * q + 1] = best.row;
        found[3 * q + 2] = best.column;
    }
    double seconds = now() - start;

    report(seconds, checksum_int(found, (size_t)queries * 3) + checksum_int(h, n + 1)
                    + checksum_int(e, n + 1));
    free(text);
    free(query);
    free(h);
    free(e);
    free(found);
    return 0;
}
