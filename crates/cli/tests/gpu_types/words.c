// Names that are words of OpenCL C or of C++: of arrays, sizes, numbers and loops.
#include <stdio.h>

#define N 300

static double half[N], new[N], this[N][N];

static void words(int class, double template, double kernel[class], double private[class])
{
#pragma scop
    for (int operator = 0; operator < class; operator++) {
        new[operator] = template * half[operator];
        for (int local = 0; local < class; local++)
            this[operator][local] += kernel[operator] * private[local] + new[operator];
    }
#pragma endscop
}

int main(void)
{
    static double global[N], event_t[N];
    for (int i = 0; i < N; i++) {
        half[i] = i % 7;
        global[i] = i % 5;
        event_t[i] = i % 3;
        for (int j = 0; j < N; j++)
            this[i][j] = i + j;
    }
    words(N, 1.5, global, event_t);
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += this[i][j] * ((i + 2 * j) % 11) + new[i];
    printf("%.17g\n", sum);
    return 0;
}
