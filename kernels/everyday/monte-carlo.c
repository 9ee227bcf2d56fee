/* monte-carlo: the price of a call on the mean of a path (an Asian option) by simulation: many
 * paths, each with a xorshift generator of its own, the states in an array; normal numbers as sums
 * of twelve uniform ones.
 * Stresses wrapping shifts on uint32_t, a loop over steps outside of the loop over paths, a sum at
 * the end with `?:`, calls of exp. */
// sizes: 2000 40 | 30000 100 | 60000 150
#include <math.h>
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_unsigned, uint32_t)

struct market {
    double spot, strike, rate, volatility, years;
};

static uint32_t xorshift(uint32_t *state)
{
    uint32_t s = *state;
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    *state = s;
    return s;
}

static double normal(uint32_t *state)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++)
        sum += xorshift(state) * (1.0 / 4294967296.0);
    return sum;
}

static double price(const struct market *m, int paths, int steps, uint32_t *state, double *value,
                    double *total)
{
    const double dt = m->years / steps;
    const double drift = (m->rate - 0.5 * m->volatility * m->volatility) * dt;
    const double spread = m->volatility * sqrt(dt);

    for (int p = 0; p < paths; p++) {
        value[p] = m->spot;
        total[p] = 0.0;
    }
    for (int s = 0; s < steps; s++) {
        for (int p = 0; p < paths; p++) {
            value[p] *= exp(drift + spread * normal(&state[p]));
            total[p] += value[p];
        }
    }

    double payoff = 0.0;
    for (int p = 0; p < paths; p++) {
        double mean = total[p] / steps;
        payoff += mean > m->strike ? mean - m->strike : 0.0;
    }
    return exp(-m->rate * m->years) * payoff / paths;
}

int main(int argc, char **argv)
{
    int paths = 30000, steps = 100;
    read_sizes(argc, argv, "PATHS STEPS", 2, (int *[]){&paths, &steps});

    struct market m = {100.0, 103.0, 0.03, 0.25, 1.0};
    uint32_t *state = allocate(paths * sizeof(uint32_t));
    double *value = allocate(paths * sizeof(double));
    double *total = allocate(paths * sizeof(double));
    for (int p = 0; p < paths; p++)
        state[p] = (uint32_t)p * 2654435761u + 88172645u;

    double start = now();
    double result = price(&m, paths, steps, state, value, total);
    double seconds = now() - start;

    report(seconds, result + checksum_double(value, paths) + checksum_double(total, paths)
                    + checksum_unsigned(state, paths));
    free(state);
    free(value);
    free(total);
    return 0;
}
