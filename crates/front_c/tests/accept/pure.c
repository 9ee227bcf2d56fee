/* why: a function that the user says is pure
   pure: table */
double table(int);
void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = table(i) + 1;
#pragma endscop
}
