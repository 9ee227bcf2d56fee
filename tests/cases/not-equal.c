/* why: a loop that ends with != is a loop that ends with < where the context proves it
 * run: --no-tile --context 'n >= 1'
 * show: scop code
 * at: n=9
 */
void fill(int n, double *a)
{
#pragma scop
    for (int i = 0; i != n; i++)
        a[i] = 1.0;
#pragma endscop
}
