/* why: a matrix that two nests read comes in once, in strips of rows, in which one nest follows the other
 * run: --strategy pluto --fuse max --register-tiles
 * show: code tree
 * at: n=19 m=5
 */
void strips(int n, int m, double q[n], double s[n], double A[n][m], double r[m], double p[m])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      s[i] = s[i] + r[j] * A[i][j];
      q[i] = q[i] + A[i][j] * p[j];
    }
#pragma endscop
}
