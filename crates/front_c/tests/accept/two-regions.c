/* why: several regions in one file, one inside a loop */
double A[100], B[100];
void f(int n)
{
    double t;
    for (int s = 0; s < n; s++) {
#pragma scop
        for (int i = 0; i < 100; i++)
            A[i] = t;
        t = A[0];
#pragma endscop
    }
#pragma scop
    for (int i = 0; i < 100; i++)
        B[i] = A[i];
#pragma endscop
}
