/* black-scholes: prices of European options, calls and puts, by the closed formula, with the
 * cumulative normal distribution as a polynomial; options are structs, prices an array.
 * Stresses calls of log, exp and sqrt, a helper with two returns, a flag that chooses between
 * formulas. */
// sizes: 80000 | 2500000 | 7500000
#include <math.h>

#include "common.h"

typedef struct {
    float spot, strike, rate, volatility, years;
    int put;
} option;

static float normal_cdf(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f
                      + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * x * x) * poly;
    if (x < 0.0f)
        return tail;
    return 1.0f - tail;
}

static float value(const option *o)
{
    float root = sqrtf(o->years);
    float d1 = (logf(o->spot / o->strike) + (o->rate + 0.5f * o->volatility * o->volatility) * o->years)
               / (o->volatility * root);
    float d2 = d1 - o->volatility * root;
    float later = o->strike * expf(-o->rate * o->years);
    if (o->put)
        return later * normal_cdf(-d2) - o->spot * normal_cdf(-d1);
    return o->spot * normal_cdf(d1) - later * normal_cdf(d2);
}

static void value_all(const option *options, float *prices, size_t n)
{
    for (size_t i = 0; i < n; i++)
        prices[i] = value(&options[i]);
}

int main(int argc, char **argv)
{
    int n = 2500000;
    read_sizes(argc, argv, "OPTIONS", 1, (int *[]){&n});

    option *options = allocate(n * sizeof(option));
    float *prices = allocate(n * sizeof(float));
    for (int i = 0; i < n; i++) {
        options[i].spot = 20.0f + (float)(i % 83);
        options[i].strike = 20.0f + (float)(i / 3 % 79);
        options[i].rate = 0.01f * (float)(1 + i % 5);
        options[i].volatility = 0.1f + 0.05f * (float)(i % 9);
        options[i].years = 0.25f * (float)(1 + i % 8);
        options[i].put = i % 3 == 0;
    }

    double start = now();
    value_all(options, prices, n);
    double seconds = now() - start;

    report(seconds, checksum_float(prices, n));
    free(options);
    free(prices);
    return 0;
}
