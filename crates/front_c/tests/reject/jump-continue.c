/* why: continue */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (i == 3)
            continue;
        A[i] = 1;
    }
#pragma endscop
}
