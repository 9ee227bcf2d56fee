/* why: how often a while loop runs is not known */
void f(int n, double A[n])
{
#pragma scop
    int i = 0;
    while (i < n)
        A[i++] = 0;
#pragma endscop
}
