/* why: without fusion each strongly connected component gets loops of its own
 * run: --no-tile --fuse no --target c
 * show: schedule code
 * at: n=6
 */
void chain(int n, double *a, double *b, double *c)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = a[i] * 2.0;
        c[i] = b[i] + a[i];
    }
#pragma endscop
}
