/* why: a scalar whose value ends up in an element lives there from the start, once for each loop that it is used in; where something else needs the element meanwhile, or the scalar is of another type, it gets an array
 * run: --expand --no-tile
 * show: scop code
 * at: n=9
 */
#include <stdio.h>

static void solve(int n, double a[n][n], double b[n], double y[n])
{
    double w;
    float rounded;
#pragma scop
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            w = a[i][j];
            for (int k = 0; k < j; k++)
                w -= a[i][k] * a[k][j];
            a[i][j] = w / a[j][j];
        }
        for (int j = i; j < n; j++) {
            w = a[i][j];
            for (int k = 0; k < i; k++)
                w -= a[i][k] * a[k][j];
            a[i][j] = w;
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        w = 0.0;
        for (int j = i + 1; j < n; j++)
            w += a[i][j] * y[j];
        y[i] = b[i] + y[i] * w;
    }
    for (int i = 0; i < n; i++) {
        rounded = b[i];
        for (int j = 0; j < i; j++)
            rounded -= y[j];
        b[i] = rounded;
    }
#pragma endscop
}

int main(void)
{
    enum { N = 21 };
    static double a[N][N], b[N], y[N];
    for (int i = 0; i < N; i++) {
        b[i] = i % 7;
        y[i] = 0.5 * i;
        for (int j = 0; j < N; j++)
            a[i][j] = (i * j % 11) / 11.0 + (i == j) * N;
    }
    solve(N, a, b, y);
    for (int i = 0; i < N; i++) {
        printf("%.17g %.17g", b[i], y[i]);
        for (int j = 0; j < N; j++)
            printf(" %.17g", a[i][j]);
        printf("\n");
    }
    return 0;
}
