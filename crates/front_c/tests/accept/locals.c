/* why: variables of a block without loop are private to one statement; others become arrays of the region */
void f(int n, double A[n], double B[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        B[i] = 1;
        double x = A[i], y;
        y = x * x;
        if (y > 2) {
            double z = y;
            A[i] = z;
        }
    }
    for (int i = 0; i < n; i++) {
        double x = 0, w[4];
        for (int j = 0; j < 4; j++)
            w[j] = A[i] + j;
        for (int j = 0; j < 4; j++)
            x += w[j];
        B[i] = x;
    }
    double x = B[0];
    for (int i = 0; i < n; i++)
        A[i] = x;
#pragma endscop
}
