/* why: a call for its effects alone */
int printf(const char *, ...);
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        printf("%f", A[i]);
#pragma endscop
}
