/* why: a pointer that walks through an array */
void f(int n, double A[n], double *p)
{
#pragma scop
    for (int i = 0; i < n; i++)
        *p++ = A[i];
    for (int i = 0; i < n; i++) {
        p = A;
        p++;
    }
#pragma endscop
}
