/* why: nor a do loop */
void f(int n, double A[n])
{
#pragma scop
    int i = 0;
    do
        A[i] = 0;
    while (i++ < n);
#pragma endscop
}
