#pragma farkas asume no-overlap
#pragma farkas
#pragma farkas inline(f)
void f(int n, double *a)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = nothing[i];
#pragma endscop
}
