/* why: a pointer that accesses cast is read before the region, as a pointer to what they take it for */
void f(int n, void *C, const void *A)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        ((double *)C)[2 * i] += ((const double *)A)[i];
        ((double *)C)[2 * i + 1] = *((const double *)A + i);
    }
#pragma endscop
}
