/* why: a `continue` that moving statements cannot express, in a loop that moves more than its iterator */
void f(int n, double *restrict A, double *restrict B)
{
    int j;
#pragma scop
    for (int t = 0; t < n; t++) {
        j = 0;
        for (int i = 0; i < n; i++, j += 2) {
            if (A[i] > 0) {
                if (A[i] > 1)
                    continue;
                A[i] = 2;
            }
            B[j] += 1;
        }
    }
#pragma endscop
}
