/* why: functions that a pragma says to be operators: calls of them are updates, on threads by reductions that are declared for each element
 * run: --no-tile
 * show: code reductions
 */
#include <math.h>
#include <stdio.h>

static unsigned gcd(unsigned a, unsigned b)
{
    while (b > 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static double farther(double a, double b)
{
    return fabs(a) > fabs(b) ? fabs(a) : fabs(b);
}

#pragma farkas reduction(gcd: divisor, s) neutral(0)
#pragma farkas reduction(farther: most) neutral(0.0)
static void combined(int n, const unsigned k[restrict n], const double x[restrict n], unsigned *restrict s,
                     double *restrict most)
{
    unsigned divisor = s[0];
#pragma scop
    for (int i = 0; i < n; i++) {
        divisor = gcd(divisor, k[i]);
        s[1] = gcd(2 * k[i], s[1]);
    }
    for (int i = 0; i < n; i++)
        most[0] = farther(most[0], x[i]);
#pragma endscop
    s[0] = divisor;
}

static double x[3000], most;
static unsigned k[3000], s[2];

int main(void)
{
    for (int i = 0; i < 3000; i++) {
        x[i] = i % 7 - 5;
        k[i] = 6 * (i % 11 + 1);
    }
    for (int n = 0; n <= 3000; n = 3 * n + 1) {
        s[0] = 24 * n, s[1] = 30, most = 0.5;
        combined(n, k, x, s, &most);
        printf("%u %u %a\n", s[0], s[1], most);
    }
    return 0;
}
