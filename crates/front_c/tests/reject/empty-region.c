/* why: nothing to do */
void f(int n, double A[n])
{
#pragma scop

#pragma endscop
}
