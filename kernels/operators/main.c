/* Runs one fused operator: main NUMBER [RUNS [SEED]] prints what comes out and, for several runs, the least time. Inputs are zero without a seed, so
 * that nothing but the operator touches memory. */
#include "operators.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1280 * 21128, RESULTS = 128 * 768 };

static float in[4][MOST] __attribute__((aligned(64)));
static float out[2][RESULTS] __attribute__((aligned(64)));

static void run(int number)
{
    void *a = in[0], *b = in[1], *c = in[2], *d = in[3], *p = out[0], *q = out[1];
    switch (number) {
    case 1: cast_cast_sum(a, p); break;
    case 2: cast_sum_cast(a, p); break;
    case 3: cast_sum(a, p); break;
    case 4: mul_sum(a, b, p); break;
    case 5: neg_mul_sum(a, b, p); break;
    case 6: mul_mul_sum(a, b, c, p); break;
    case 7: add_mul_sum(a, b, c, p); break;
    case 8: add_mul_sums(a, b, c, d, p, q); break;
    case 9: sums(a, b, p, q); break;
    case 10: reshape_sum(a, p); break;
    case 11: rows_sum(a, p); break;
    default: flat_sum(a, p); break;
    }
}

/* How many results each operator has. */
static const int n_results[] = {2, 21128, 768, 1280, 1, 1, 128 * 768, 768, 768, 768, 768, 1};

/* Whether the operator reads half precision. */
static int reads_half(int number)
{
    return number == 3 || number >= 10;
}

int main(int argc, char **argv)
{
    int number = argc > 1 ? atoi(argv[1]) : 1, runs = argc > 2 ? atoi(argv[2]) : 1;
    if (number < 1 || number > 12 || runs < 1) {
        fprintf(stderr, "usage: main NUMBER [RUNS [SEED]], operators are 1 to 12\n");
        return 2;
    }
    for (int k = 0; argc > 3 && k < 4; k++)
        for (long i = 0; i < MOST; i++) {
            float value = (float)((i * (2 * k + 7) + atoi(argv[3])) % 5 - 2) / 2;
            if (reads_half(number))
                ((half *)in[k])[i] = value;
            else
                in[k][i] = value;
        }
    double least = 1e9;
    for (int r = 0; r < runs; r++) {
        double start = omp_get_wtime(), time;
        run(number);
        time = omp_get_wtime() - start;
        least = time < least ? time : least;
    }
    double sum = 0;
    for (int i = 0; i < n_results[number - 1]; i++)
        sum += (i % 7 + 1) * ((double)out[0][i] + (double)out[1][i]);
    printf("checksum %a\n", sum);
    if (runs > 1)
        fprintf(stderr, "time_s %.6f\n", least);
    return 0;
}
