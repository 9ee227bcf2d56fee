/* why: a bound read from an array that the region writes, and no loop around it */
void f(int n, double *restrict A, int row[n + 1])
{
#pragma scop
    for (int k = row[0]; k < row[n]; k++) {
        A[k] = 0;
        row[k] = 1;
    }
#pragma endscop
}
