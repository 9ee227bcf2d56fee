/* why: a `while` loop whose last statement is no step of a counter */
void halved(int n, int j, int *out)
{
    int bit = n / 2;
#pragma scop
    while (j & bit) {
        j -= bit;
        bit /= 2;
    }
    *out = j + bit;
#pragma endscop
}

void by_data(int n, const int *restrict step, int *restrict A)
{
    int i = 0;
#pragma scop
    while (i < n) {
        A[i] = 1;
        i += *step;
    }
#pragma endscop
}

void still(int n, int *restrict A)
{
    int i = 0;
#pragma scop
    while (i < n) {
        A[i] = 1;
        i += 0;
    }
#pragma endscop
}
