/* why: two products whose sums are divided among 16 parts of the inner dimension: each part adds up in cells of its own, on threads, which are combined in their order
 * run: --recipe recipe-split-k.json --reassociate
 * show: code tree
 */
#include <stdio.h>
static float A[128][1024], B[1024][32], C[128][32];
static float D[1024][1024], E[1024][512], F[1024][512];

static void small(void)
{
#pragma scop
  for (int i = 0; i < 128; i++)
    for (int j = 0; j < 32; j++)
      for (int k = 0; k < 1024; k++)
        C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}

static void large(void)
{
#pragma scop
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 512; j++)
      for (int k = 0; k < 1024; k++)
        F[i][j] += D[i][k] * E[k][j];
#pragma endscop
}

int main(void)
{
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 1024; j++) {
      D[i][j] = (i + j) % 5;
      if (j < 512)
        E[i][j] = (i * j) % 3;
      if (j < 32)
        B[i][j] = (i + 2 * j) % 4;
      if (i < 128)
        A[i][j] = (3 * i + j) % 5;
    }
  small();
  large();
  double total = 0;
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 512; j++)
      total += F[i][j] + (i < 128 && j < 32 ? C[i][j] : 0);
  printf("%g %g %.0f\n", C[127][31], F[1023][511], total);
  return 0;
}
