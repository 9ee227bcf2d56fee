/* why: the last value is copied back in the iteration that makes it, whose buffer is gone behind it: isl would give the copy a loop of its own
 * run: --strategy pluto --no-tile --expand
 * show: code
 * at: n=5
 */
void last(int n, int s, int *restrict y, int x[restrict n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        if (i != 4)
            for (int j = 0; j < n; j++) {
                s = 1;
                s = x[j][i] + 2 * s;
            }
#pragma endscop
    *y = s;
}
