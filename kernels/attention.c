/* attention: scaled dot-product attention, O = softmax(Q K^T / sqrt(D)) V, causal: position i
 * looks at positions j <= i only. Float data; the row maximum is subtracted before exp.
 * Stresses triangular rows, row scalars (maximum, sum) between two products, calls of expf. */
#include <math.h>

#include "common.h"

#ifndef N
#define N 1800
#endif
#ifndef D
#define D 64
#endif

static void init(int n, int d, float Q[n][d], float K[n][d], float V[n][d])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++) {
            Q[i][k] = (float)((3 * i + 5 * k) % 13 - 6) / 13.0f;
            K[i][k] = (float)((7 * i + 2 * k) % 15 - 7) / 15.0f;
            V[i][k] = (float)((4 * i + 9 * k) % 17 + 1) / 17.0f;
        }
}

static void kernel_attention(int n, int d, float scale, float Q[n][d], float K[n][d], float V[n][d],
                             float S[n][n], float O[n][d])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        float top = -1e30f;
        float total = 0.0f;
        for (int j = 0; j <= i; j++) {
            float dot = 0.0f;
            for (int k = 0; k < d; k++)
                dot += Q[i][k] * K[j][k];
            S[i][j] = dot * scale;
            top = S[i][j] > top ? S[i][j] : top;
        }
        for (int j = 0; j <= i; j++) {
            S[i][j] = expf(S[i][j] - top);
            total += S[i][j];
        }
        for (int k = 0; k < d; k++)
            O[i][k] = 0.0f;
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < d; k++)
                O[i][k] += S[i][j] / total * V[j][k];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int n = N, d = D;
    read_sizes(argc, argv, "N D", 2, (int *[]){&n, &d});

    float (*Q)[d] = allocate(sizeof(float[n][d]));
    float (*K)[d] = allocate(sizeof(float[n][d]));
    float (*V)[d] = allocate(sizeof(float[n][d]));
    float (*S)[n] = allocate(sizeof(float[n][n]));
    float (*O)[d] = allocate(sizeof(float[n][d]));
    init(n, d, Q, K, V);

    double start = now();
    kernel_attention(n, d, 1.0f / sqrtf((float)d), Q, K, V, S, O);
    double seconds = now() - start;

    report(seconds, checksum_float(&O[0][0], (size_t)n * d));
    free(Q);
    free(K);
    free(V);
    free(S);
    free(O);
    return 0;
}
