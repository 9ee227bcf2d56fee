// Casts whose type is a word that others may follow stand before operators with one operand.
void f(int n, long *restrict A, const int *restrict B)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        A[i] = 3 | (unsigned)-i;
        A[i] += (long)*B;
        A[i] += (short)+i - (signed)~i;
        A[i] ^= (unsigned long)-(long)B[i] + (long unsigned)!i + (unsigned)(i);
    }
#pragma endscop
}
