/* why: pieces for each of six loops inside each other were 2,800 lines (fuzz seed 785350); beyond the limit on copies loops stay whole
 * run: --fuse max --strategy locality-cpu --tile-sizes 8:4,3
 * show: code
 * at: n=5 first=40
 */
void far_apart_tiles(int n, int first, float *restrict x, float *restrict y, float z[n + 2][n + 2])
{
#pragma scop
    for (int i = first; i < first + n - 1; i++)
        z[n - (i - first) - 1][i - first] = z[i - first][n - (i - first) - 1];
    for (int i = n; i > 0; i--)
        for (int j = first + n - 1; j >= first; j--) {
            y[j - first] = y[(j - first) + 1] + 0.5f * x[i - 1];
            z[i + 1][j - first] = z[i - 1][i + 1] + 0.001f * j;
        }
#pragma endscop
}
