/* why: assembly */
void f(int n, double A[n])
{
#pragma scop
    asm("nop");
    A[0] = 0;
#pragma endscop
}
