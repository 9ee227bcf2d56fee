/* why: a continue that skips less than the rest of what its condition holds */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (A[i] > 0) {
            if (A[i] > 1)
                continue;
            A[i] = 2;
        }
        A[i] += 1;
    }
#pragma endscop
}
