/* why: a pointer that is cast at one access and used as it is at another, which `restrict` does not keep apart */
void f(int n, int *restrict x, float *y)
{
#pragma scop
    for (int i = 0; i < n; i++)
        x[i] = ((float *)x)[i + 1] > 0;
#pragma endscop
}
