/* advantage: generalised advantage estimates of reinforcement learning: the errors of the value function,
 * d[t] = r[t] + gamma v[t+1] - v[t], then their discounted sums from the end, a[t] = d[t] + gamma lambda a[t+1].
 * Wants both fused: the errors in descending t as the sums are, (-t, e) for d, so that d stays in cache.
 * The sums force -t, so that without a negative coefficient no loop over t can hold both. */
#include "common.h"

#ifndef T
#define T 1100
#endif
#ifndef E
#define E 1800
#endif

/* No reward follows the last step, so that the sum from there is zero. */
static void init(int steps, int envs, double reward[steps][envs], double value[steps + 1][envs],
                 double advantage[steps + 1][envs])
{
    for (int e = 0; e < envs; e++)
        advantage[steps][e] = 0.0;
    for (int t = 0; t < steps + 1; t++)
        for (int e = 0; e < envs; e++) {
            value[t][e] = ((3 * t + 5 * e) % 23 + 1) / 23.0;
            if (t < steps)
                reward[t][e] = ((7 * t + 2 * e) % 13 - 4) / 13.0;
        }
}

static void kernel_advantage(int steps, int envs, double gamma, double lambda, double reward[steps][envs],
                             double value[steps + 1][envs], double error[steps][envs],
                             double advantage[steps + 1][envs])
{
#pragma scop
    for (int t = 0; t < steps; t++)
        for (int e = 0; e < envs; e++)
            error[t][e] = reward[t][e] + gamma * value[t + 1][e] - value[t][e];
    for (int t = steps - 1; t >= 0; t--)
        for (int e = 0; e < envs; e++)
            advantage[t][e] = error[t][e] + gamma * lambda * advantage[t + 1][e];
#pragma endscop
}

int main(int argc, char **argv)
{
    int steps = T, envs = E;
    read_sizes(argc, argv, "T E", 2, (int *[]){&steps, &envs});

    double (*reward)[envs] = allocate(sizeof(double[steps][envs]));
    double (*value)[envs] = allocate(sizeof(double[steps + 1][envs]));
    double (*error)[envs] = allocate(sizeof(double[steps][envs]));
    double (*advantage)[envs] = allocate(sizeof(double[steps + 1][envs]));
    init(steps, envs, reward, value, advantage);

    double start = now();
    kernel_advantage(steps, envs, 0.99, 0.95, reward, value, error, advantage);
    double seconds = now() - start;

    report(seconds, checksum_double(&advantage[0][0], (size_t)(steps + 1) * envs));
    free(reward);
    free(value);
    free(error);
    free(advantage);
    return 0;
}
