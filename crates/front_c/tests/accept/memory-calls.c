/* why: memset to zero and memcpy of whole elements are loops */
#include <string.h>
struct state { float *xb; };

void heads(int n, int size, struct state *s, float v[n][size], double t[n][8], const double *from)
{
#pragma scop
    for (int h = 0; h < n; h++) {
        float *xb = s->xb + h * size;
        memset(xb, 0, size * sizeof(float));
        for (int i = 0; i < size; i++)
            xb[i] += v[h][i];
        memset(t[h], 0, sizeof t[h]);
        memcpy(&t[h][2], from + 3, 4 * sizeof(double));
        memcpy(v[0], v[h], (size_t)size * sizeof **v);
    }
#pragma endscop
}
