/* why: regions found in a function without pragmas; the call splits them
   auto: yes */
int printf(const char *, ...);
void f(int n, double A[n], double B[n])
{
    int i, t;
    double sum = 0;
    for (i = 0; i < n; i++)
        sum += A[i];
    printf("%f", sum);
    for (t = 0; t < 10; t++) {
        B[0] = A[0];
        for (i = 1; i < n; i++)
            B[i] = A[i - 1];
        for (i = 0; i < n; i++)
            A[i] = B[i];
        if (A[0] < 0.1)
            break;
    }
}
void marked(int n, double A[n])
{
    for (int i = 0; i < n; i++)
        A[i] = 0;
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = 1;
#pragma endscop
}
