/* why: sizes of arrays as bounds; an array of the region with a parameter as its size */
double table[20][30];
void f(int n, double *A)
{
#pragma scop
    for (int i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        double row[n];
        for (int j = 0; j < n; j++)
            row[j] = A[j];
        table[i][sizeof table[0] / sizeof(double) - 1] = row[0];
    }
#pragma endscop
}
