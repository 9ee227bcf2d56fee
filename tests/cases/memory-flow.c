/* why: by memory, the second read depends on both writes of the cell; by value only on the last one
 * run: --no-tile --deps memory
 * show: deps
 * at: n=6
 */
void overwrite(int n, double *a, double *b)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        a[i] = 1.0;
        a[i] = 2.0;
        b[i] = a[i];
    }
#pragma endscop
}
