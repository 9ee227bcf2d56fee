/* why: a variable that the region declares is used after it */
void f(int n, double A[n])
{
#pragma scop
    double s = 0;
    for (int i = 0; i < n; i++)
        s += A[i];
#pragma endscop
    A[0] = s;
}
