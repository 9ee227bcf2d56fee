/* why: i - n is 2 for an int i where n is 4294967294 or more, and then i overflows: no loop is made for such sizes, whose end no int reaches */
void f(unsigned n, float (*restrict x)[64], float (*restrict y)[64])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x[j][i] = y[j][i];
            if (i - n == 2)
                y[j][i] = 1;
        }
#pragma endscop
}
