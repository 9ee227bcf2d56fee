/* why: one message for one cause, however many places it shows in */
double pull(double);
void f(int n, int m, double A[100][100], double x[100], double y[100])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        x[i] = pull(y[i]) + pull(x[i]);
        y[i] = pull(nowhere) + nowhere;
        x[i] += nowhere;
        y[i] += pull(x[i]) * pull(nothing);
        x[i * m] = y[i * m] + x[(i + 1) * m];
        x[i] = A[i] + A[i];
        y[i] += nowhere + nowhere;
    }
#pragma endscop
}
