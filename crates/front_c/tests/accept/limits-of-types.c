/* why: 4294967298, up to which j - 3 does not wrap, is no bound of a loop that an int bounds: a loop over i + j ran that far */
void f(unsigned n, int m, float *restrict x, float *restrict z)
{
#pragma scop
    for (unsigned i = 1; i < 4; i++)
        for (unsigned j = 2; j < m; j++)
            if (j - 3 < n)
                x[j] = z[j - 2] + x[i];
#pragma endscop
}
