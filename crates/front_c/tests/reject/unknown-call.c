/* why: a function of which nothing is known */
double mystery(int);
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = mystery(i);
#pragma endscop
}
