/* why: data chooses the elements that a loop updates: each part has cells for all that may be chosen, which are combined where something was gathered
 * run: --recipe reduction-parts.json --reassociate
 * show: code
 * at: n=37 k=4 d=3
 */
static double total[8];

void histogram(int n, const unsigned char x[n], unsigned count[256])
{
#pragma scop
  for (int i = 0; i < n; i++)
    count[x[i]]++;
#pragma endscop
}

void weights(int n, const int group[n], const double w[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    total[group[i] & 7] += w[i];
#pragma endscop
}

void centres(int n, int k, int d, const double x[n][d], const int nearest[n], double sum[k][d], int size[k])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    size[nearest[i] & 3]++;
    for (int t = 0; t < d; t++)
      sum[nearest[i] & 3][t] += x[i][t];
  }
#pragma endscop
}

void positive(int n, const double x[n], double least[1], double s[1])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    if (x[i] > 0.0)
      s[0] += x[i];
    if (x[i] > 0.0)
      least[0] = x[i] < least[0] ? x[i] : least[0];
  }
#pragma endscop
}
