/* why: a case label without a switch */
void f(int n, double *A)
{
#pragma scop
    case 1:
    A[0] = 0;
#pragma endscop
}
