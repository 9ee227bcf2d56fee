/* why: what is wrong with two arrays of structs is said once, not for each pair of members */
struct complex { float r, i; };
void f(int n, struct complex *x, int *at, struct complex *y)
{
    struct complex *z = x + 1;
    if (n > 3)
        z = x;
#pragma scop
    for (int k = 0; k < n; k++) {
        x[k].r = y[at[k]].r + z[k].r;
        x[k].i = y[at[k]].i + z[k].i;
    }
#pragma endscop
}
