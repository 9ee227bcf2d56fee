/* why: a function of the file that writes a global variable */
static int calls;
static int count(int x)
{
    calls++;
    return x;
}
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = 1 + count(i);
#pragma endscop
}
