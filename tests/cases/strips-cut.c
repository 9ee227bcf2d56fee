/* why: where a loop is cut, the lanes of its last iteration are written out, and are no vector loop beside that
 * run: --strategy pluto --no-tile --split-index-sets --strips
 * show: code
 * at: n=5
 */
void lanes(int n, double s, double *restrict z, double *restrict out)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                s = 0.25 * s + -0.125 * z[j] + 0.001 * k;
            z[2 * j] = 1;
        }
    out[0] = s;
#pragma endscop
}
