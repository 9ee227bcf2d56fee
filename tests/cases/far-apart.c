/* why: one loop for both would run from 0 to first + n, through all that lies between; each has a piece of its own
 * run: --strategy pluto --no-tile --fuse max
 * show: code
 * at: n=5 first=2000000000
 */
void far_apart(int n, int first, double A[n], double B[n])
{
#pragma scop
    for (int i = first; i < first + n; i++)
        A[i - first] *= 2.0;
    for (int j = 0; j < n; j++)
        B[j] += 1.0;
#pragma endscop
}
