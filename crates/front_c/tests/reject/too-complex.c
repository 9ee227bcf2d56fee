/* why: each ternary doubles the pieces of the subscript */
void f(int n, double *A)
{
#pragma scop
    for (int i = 0; i < n; i++)
        A[(i % 3 ? i : 2 * i) + (i % 5 ? i : 2 * i) + (i % 7 ? i : 2 * i) + (i % 11 ? i : 2 * i) + (i % 13 ? i : 2 * i) + (i % 17 ? i : 2 * i) + (i % 19 ? i : 2 * i) + (i % 23 ? i : 2 * i) + (i % 29 ? i : 2 * i) + (i % 31 ? i : 2 * i) + (i % 37 ? i : 2 * i) + (i % 41 ? i : 2 * i) + (i % 43 ? i : 2 * i) + (i % 47 ? i : 2 * i)] = 0;
#pragma endscop
}
