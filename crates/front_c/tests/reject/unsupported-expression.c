/* why: an address and a string */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = ("abc")[i] + (&A[0] == 0);
#pragma endscop
}
