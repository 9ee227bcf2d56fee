/* why: a write of the region may change what a bound is made of, and no test in front of it can tell */
int width, height;

void f(int *x)
{
#pragma scop
    for (int i = 0; i < width * height; i++)
        x[i] = 0;
#pragma endscop
}
