/* why: a statement whose value is dropped */
void f(int n, double A[n])
{
#pragma scop
    A[0];
#pragma endscop
}
