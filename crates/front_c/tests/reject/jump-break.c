/* why: a break depends on data */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (A[i] == 0)
            break;
        A[i] = 1;
    }
#pragma endscop
}
