/* why: the value that the function returns has a name which means something else where it is called */
double *table;
int width;
static double at(double *row, int i) { return row[i] * table[i]; }
void f(int n, double *x)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        double table = 2.0 * i;
        x[i] = 1.0 + at(x, i) + table;
    }
#pragma endscop
}
