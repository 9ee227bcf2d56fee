/* why: the user's pragma starts threads for the loop over rows, whatever their number is; the elimination of one block, which numbers bound, has too little
 *      work for threads however often it is done
 * run: --no-tile
 * show: code
 * at: n=5
 */
void threads_user(int n, double d[restrict 16][16], double rows[restrict n][16])
{
#pragma scop
    for (int i = 0; i < 16; i++)
        for (int j = i + 1; j < 16; j++) {
            d[j][i] /= d[i][i];
            for (int k = i + 1; k < 16; k++)
                d[j][k] -= d[j][i] * d[i][k];
        }
#pragma omp parallel for
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 16; i++)
            for (int k = 0; k < i; k++)
                rows[r][i] -= d[i][k] * rows[r][k];
#pragma endscop
}
