/* why: jumps ahead in a block are conditions on what they jump over */
void skips(int n, double *restrict A, const double *restrict B)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (B[i] < 0)
            goto next;
        A[i] = 1;
        if (i == 7) {
            A[i] += 3;
            goto next;
        }
        A[i] += 2;
    next:
        A[i] += B[i];
    }
#pragma endscop
}

void chooses(int n, double *restrict A, double *restrict B)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (A[i] > 0)
            goto one;
        B[i] = 0;
        if (B[i + n] <= 0)
            goto two;
        A[i] = 4;
        goto two;
    one:
        B[i] = 2;
    two:;
    }
#pragma endscop
}
