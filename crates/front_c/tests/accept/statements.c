/* why: every assignment operator, chained assignments, commas, labels, casts, literals */
typedef double real;
enum colour { RED = 3 };
static real square(real v)
{
    real w = v;
    return w * v;
}
void f(double x, double y, int k)
{
#pragma scop
    {
        ;
        sum: x = y = 1.5f;
        k <<= 2, k |= 0x10, k &= ~3, k ^= 'a', k %= 7, k >>= 1;
        k++;
        --k;
        x -= (real)(k) / 2 - (long)sizeof(double) + -1.0;
        y = x != y && !k ? +x : fabsl(y);
        x = fma(x, y, square(x)) + pow(x, 2) * RED;
    }
#pragma endscop
}
