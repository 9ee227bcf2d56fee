/* hmm-smoothing: forward-backward algorithm of a hidden Markov model with given emission weights: likelihoods
 * of the past (ahead) and of the future (back, from the end), and the smoothed product of the two at each time.
 * Wants the product fused with the backward pass: date (-t) for both. The pass has no other legal direction,
 * so without a negative coefficient for the product's t the two need loops of their own. */
#include "common.h"

#ifndef T
#define T 1800
#endif
#ifndef S
#define S 120
#endif

/* Rows of `step` and the emission weights are such that the likelihoods neither vanish nor overflow. */
static void init(int steps, int states, double step[states][states], double emit[steps][states],
                 double ahead[steps][states], double back[steps][states], double smooth[steps][states])
{
    for (int t = 0; t < steps; t++)
        for (int s = 0; s < states; s++) {
            emit[t][s] = 0.5 + ((5 * t + 3 * s) % 11) / 10.0;
            ahead[t][s] = back[t][s] = smooth[t][s] = 0.0;
        }
    for (int r = 0; r < states; r++)
        for (int s = 0; s < states; s++)
            step[r][s] = (0.5 + ((2 * r + 7 * s) % 11) / 10.0) / states;
}

static void kernel_hmm_smoothing(int steps, int states, double step[states][states],
                                 double emit[steps][states], double ahead[steps][states],
                                 double back[steps][states], double smooth[steps][states])
{
#pragma scop
    for (int s = 0; s < states; s++) {
        ahead[0][s] = emit[0][s] / states;
        back[steps - 1][s] = 1.0;
    }
    for (int t = 1; t < steps; t++)
        for (int s = 0; s < states; s++) {
            double sum = 0.0;
            for (int r = 0; r < states; r++)
                sum += ahead[t - 1][r] * step[r][s];
            ahead[t][s] = sum * emit[t][s];
        }
    for (int t = steps - 2; t >= 0; t--)
        for (int s = 0; s < states; s++) {
            double sum = 0.0;
            for (int r = 0; r < states; r++)
                sum += step[s][r] * emit[t + 1][r] * back[t + 1][r];
            back[t][s] = sum;
        }
    for (int t = 0; t < steps; t++)
        for (int s = 0; s < states; s++)
            smooth[t][s] = ahead[t][s] * back[t][s];
#pragma endscop
}

int main(int argc, char **argv)
{
    int steps = T, states = S;
    read_sizes(argc, argv, "T S", 2, (int *[]){&steps, &states});

    double (*step)[states] = allocate(sizeof(double[states][states]));
    double (*emit)[states] = allocate(sizeof(double[steps][states]));
    double (*ahead)[states] = allocate(sizeof(double[steps][states]));
    double (*back)[states] = allocate(sizeof(double[steps][states]));
    double (*smooth)[states] = allocate(sizeof(double[steps][states]));
    init(steps, states, step, emit, ahead, back, smooth);

    double start = now();
    kernel_hmm_smoothing(steps, states, step, emit, ahead, back, smooth);
    double seconds = now() - start;

    report(seconds, checksum_double(&smooth[0][0], (size_t)steps * states));
    free(step);
    free(emit);
    free(ahead);
    free(back);
    free(smooth);
    return 0;
}
