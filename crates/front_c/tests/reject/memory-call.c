/* why: bytes that are no whole elements, or other values than 0, stay calls */
#include <string.h>

void f(int n, int m, double x[n][10], float *y)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        memset(x[i], 1, 10 * sizeof(double));
        memset(x[i], 0, m);
        memcpy(x[i], y, 10 * sizeof(double));
    }
#pragma endscop
}
