/* why: a struct as a whole and by member */
struct S { double x; };
void f(int n, double A[n], struct S a, struct S b)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        a = b;
        A[i] = a.x;
    }
#pragma endscop
}
