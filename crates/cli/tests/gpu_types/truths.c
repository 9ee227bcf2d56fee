/* Truth values in kernels: masks, updates of all kinds, Life. */
#include <stdbool.h>
#include <stdio.h>
typedef _Bool flag;

static void mask(int n, float least, const float *restrict x, bool *restrict is, float *restrict y, int *restrict count)
{
#pragma scop
  for (int i = 0; i < n; i++)
    is[i] = x[i] > least;
  for (int i = 0; i < n; i++)
    if (is[i])
      y[i] = x[i] * 2.0f;
  for (int i = 0; i < n; i++) {
    is[i] = x[i];
    count[i] += is[i] + is[i];
  }
#pragma endscop
}

static void updates(int n, bool which, const int *restrict k, flag *restrict a, flag *restrict b, flag *restrict c, unsigned char *restrict byte)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    a[i] = k[i];
    b[i] |= k[i];
    c[i] += 2;
    byte[i] = (flag)k[i] * 255;
  }
  for (int i = 0; i < n; i++) {
    const flag both = k[i] & 6;
    a[i] ^= both;
    b[i] &= k[i] > 3 || which;
    c[i] -= a[i];
  }
#pragma endscop
}

static void life(int n, int steps, bool A[restrict 2][n][n])
{
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        int around = A[t % 2][i - 1][j - 1] + A[t % 2][i - 1][j] + A[t % 2][i - 1][j + 1] + A[t % 2][i][j - 1]
                     + A[t % 2][i][j + 1] + A[t % 2][i + 1][j - 1] + A[t % 2][i + 1][j] + A[t % 2][i + 1][j + 1];
        A[(t + 1) % 2][i][j] = around == 3 || (around == 2 && A[t % 2][i][j]);
      }
#pragma endscop
}

static void reaches(int n, bool A[restrict n][n], bool B[restrict n][n], bool C[restrict n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] |= A[i][k] && B[k][j];
#pragma endscop
}

static void show(const char *name, const void *data, size_t bytes)
{
  const unsigned char *all = data;
  unsigned long hash = 1469598103934665603ul;
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ all[i]) * 1099511628211ul;
  printf("%s %016lx\n", name, hash);
}

enum { N = 67, ALL = N * N };
static float x[ALL], y[ALL];
static int k[ALL], count[ALL];
static bool a[ALL], b[ALL], c[ALL], both[2][N][N], to[N][N];
static unsigned char byte[ALL];

int main(void)
{
  for (int i = 0; i < ALL; i++) {
    x[i] = (i * 7919 % 10007 - 5000) * 0.371f * (i % 3);
    k[i] = i * 7919 % 10007 * (i % 5) * (i % 7) - 500 * (i % 2);
    b[i] = i % 3 == 0;
    c[i] = i % 2;
    (&both[0][0][0])[i] = i * 7 % 11 < 4;
  }
  mask(ALL, 10.5f, x, a, y, count);
  show("mask", a, sizeof a);
  show("masked", y, sizeof y);
  show("count", count, sizeof count);
  updates(ALL, 0, k, a, b, c, byte);
  show("a", a, sizeof a);
  show("b", b, sizeof b);
  show("c", c, sizeof c);
  show("byte", byte, sizeof byte);
  life(N, 7, both);
  show("life", both, sizeof both);
  reaches(N, both[0], both[1], to);
  show("reaches", to, sizeof to);
  return 0;
}
