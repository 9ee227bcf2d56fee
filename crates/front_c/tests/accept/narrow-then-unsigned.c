/* why: once sizes are small, those that are not negative are enough of them; negative ones, as unsigned numbers, are not wanted */
void f(int n, double *A)
{
#pragma scop
    for (unsigned char j = 0; j < n; j++)
        A[j] = 1;
    for (unsigned i = 0; i + 1 < n; i++)
        A[i + 1] = 2;
#pragma endscop
}
