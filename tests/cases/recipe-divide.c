/* why: a statement that sets several elements by way of temporaries of the iteration is divided, so that loops come apart between its parts:
 * t and a are set twice, s under a condition, one condition guards two elements, u is used in one part alone
 * run: --recipe recipe-divide.json
 * show: code
 * at: n=5 m=4
 */
#include <math.h>
void recipe_divide(int n, int m, double x[n][m], double y[n][m], double z[n][m], int c[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double t, a;
            float s = 1.5f;
            t = x[i][j] / 2;
            a = fmax(t, 1) * t;
            if (c[i][j] > 0)
                s = t;
            x[i][j] = x[i][j] + a * s;
            t = x[i][j] * a;
            a = exp(-t);
            if (t > s) {
                double u = t - s;
                y[i][j] = u * a;
                z[i][j] += u / 2;
            }
            c[i][j] -= a < 0.5;
        }
#pragma endscop
}
