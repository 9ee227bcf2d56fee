void walk(int n, double *restrict a, const double *restrict b)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        double *p = (a) + (i);
        *p = *((b) + (i)) * ((b) + 1)[i];
    }
#pragma endscop
}
