/* why: a row used as a pointer, and a subscript too many */
void f(int n, double A[n], double B[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = B[i] + A[i][0];
#pragma endscop
}
