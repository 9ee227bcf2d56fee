/* why: a condition that the loop does not touch */
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; n > 0; i++)
        A[i] = 0;
#pragma endscop
}
