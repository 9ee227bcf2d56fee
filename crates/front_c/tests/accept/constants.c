/* why: constants with names, booleans, conversions to a smaller type */
static const int SIZE = 8;
enum { HALF = 4, LAST };
void f(long n, _Bool on, double A[100])
{
    const int twice = 2 * SIZE;
#pragma scop
    if (on)
        for (int i = 0; i < (int)n; i++)
            A[i % SIZE] = SIZE;
    for (int i = HALF; i <= LAST; i++)
        A[i * SIZE + i / twice] = 'x';
#pragma endscop
}
