/* why: temporaries of the function that an iteration has to itself become variables; what nothing uses then is not warned of
 * run: --no-tile
 * show: code
 */
#include <stdio.h>

static void chain(const double x[restrict 500], double y[restrict 500])
{
    double u[500];
#pragma scop
    {
        double t[500];
        for (int i = 0; i < 500; i++)
            t[i] = x[i] * 2.0;
        for (int i = 0; i < 500; i++)
            u[i] = t[i] + 1.0;
        for (int i = 0; i < 500; i++)
            y[i] = t[i] * u[i];
    }
#pragma endscop
}

static double x[500], y[500];

int main(void)
{
    for (int i = 0; i < 500; i++)
        x[i] = i % 9;
    chain(x, y);
    for (int i = 0; i < 500; i++)
        printf("%a\n", y[i]);
    return 0;
}
