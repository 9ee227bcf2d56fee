/* `__bf16` in all the places that kernels have: arrays, arguments, variables, constant and shared memory, registers. Not all compilers have a suffix for
 * its numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
typedef __bf16 bfloat;

static void axpy(int n, bfloat alpha, const bfloat *restrict x, bfloat *restrict y)
{
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] += alpha * x[i];
#pragma endscop
}

static void gemm(int n, bfloat A[restrict n][n], bfloat B[restrict n][n], bfloat C[restrict n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= (bfloat)0.5f;
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
#pragma endscop
}

static void gemm_in_float(int n, bfloat A[restrict n][n], bfloat B[restrict n][n], float C[restrict n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0.0f;
      for (int k = 0; k < n; k++)
        C[i][j] += (float)A[i][k] * B[k][j];
    }
#pragma endscop
}

static void jacobi(int n, int steps, bfloat A[restrict n][n], bfloat B[restrict n][n])
{
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = (bfloat)0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j] / (bfloat)1.25f - 3;
  }
#pragma endscop
}

static bfloat dot(int n, const bfloat *restrict x, const bfloat *restrict y)
{
  bfloat s = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
#pragma endscop
  return s;
}

static void rows(int n, bfloat A[restrict n][n], bfloat *restrict s, float *restrict f)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    bfloat sum = 0;
    f[i] = 0;
    for (int j = 0; j < n; j++) {
      sum += A[i][j];
      f[i] += A[i][j];
    }
    s[i] = sum;
    for (int j = 0; j < n; j++)
      A[i][j] /= sum;
  }
#pragma endscop
}

static void converted(int n, const float *restrict f, const double *restrict d, const int *restrict k, const unsigned long *restrict u,
                      bfloat *restrict of_f, bfloat *restrict of_d, bfloat *restrict of_k, bfloat *restrict of_u, float *restrict back, int *restrict whole)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    of_f[i] = f[i];
    of_d[i] = d[i];
    of_k[i] = k[i];
    of_u[i] = u[i] + i;
    back[i] = (bfloat)f[i];
    whole[i] += (bfloat)(d[i] / 4) * (bfloat)0.001;
    of_f[i] += 0.0625;
    of_d[i] *= f[i];
    of_u[i] -= k[i] % 100;
  }
#pragma endscop
}

/* What is between two numbers, too large, too small, or no number at all. */
static void special(int n, const float *restrict f, const double *restrict d, bfloat *restrict of_f, bfloat *restrict of_d, bfloat *restrict sums,
                    bfloat *restrict quotients)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    of_f[i] = f[i];
    of_d[i] = d[i];
    sums[i] = (bfloat)f[i] + (bfloat)d[i];
    quotients[i] = (bfloat)f[i] / (bfloat)d[i];
  }
#pragma endscop
}

static void chosen(int n, bfloat *restrict x)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    bfloat h = x[i];
    h += 1;
    if (h > 0.5f)
      h = sqrtf(h);
    x[i] = h < 1 ? -h : h / 3 + abs(h);
  }
#pragma endscop
}

static void filter(int n, const bfloat w[restrict 3][3], bfloat image[restrict n][n], bfloat out[restrict n][n])
{
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      out[i][j] = 0;
      for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
          out[i][j] += w[p][q] * image[i + p - 1][j + q - 1];
    }
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

/* All NaNs are one. */
static void without_nans(int n, bfloat *x)
{
  for (int i = 0; i < n; i++)
    if (x[i] != x[i])
      x[i] = 1;
}

/* A `float` of these bits. */
static float of_bits(unsigned bits)
{
  union { unsigned bits; float value; } both = {bits};
  return both.value;
}

enum { N = 67, ALL = N * N };
static bfloat x[N][N], y[N][N], z[N][N], w[3][3], s[N], of[4][ALL];
static float f[ALL], g[N][N], sums[N], back[ALL];
static double d[ALL];
static int k[ALL], whole[ALL];
static unsigned long u[ALL];

int main(void)
{
  for (int i = 0; i < ALL; i++) {
    x[i / N][i % N] = (i * 37 % 101) / (bfloat)64.0f - (bfloat)0.7f;
    y[i / N][i % N] = (i * 53 % 89) / (bfloat)70.0f;
    z[i / N][i % N] = i % 13;
    f[i] = (i * 7919 % 10007 - 5000) * 17.371f / (1 + i % 19);
    d[i] = (i * 104729l % 100003 - 50000) * 1.9 / (1 + i % 31);
    k[i] = i * 7919 % 10007 * (i % 5) * (i % 7) - 500;
    u[i] = (unsigned long)i * i * i * i;
  }
  for (int i = 0; i < 9; i++)
    w[i / 3][i % 3] = (i - 4) * (bfloat)0.3f;
  axpy(ALL, (bfloat)1.37f, x[0], y[0]);
  show("axpy", y, sizeof y);
  gemm(N, x, y, z);
  show("gemm", z, sizeof z);
  gemm_in_float(N, x, y, g);
  show("gemm in float", g, sizeof g);
  jacobi(N, 5, x, z);
  show("jacobi", x, sizeof x);
  const bfloat product = dot(ALL, x[0], y[0]);
  show("dot", &product, sizeof product);
  rows(N, y, s, sums);
  show("rows", s, sizeof s);
  show("rows in float", sums, sizeof sums);
  show("rows divided", y, sizeof y);
  converted(ALL, f, d, k, u, of[0], of[1], of[2], of[3], back, whole);
  show("converted", of, sizeof of);
  show("floats", back, sizeof back);
  show("integers", whole, sizeof whole);
  for (int i = 0; i < ALL; i++) {
    const unsigned exponents[] = {0, 1, 2, 100, 127, 128, 253, 254, 255}, ends[] = {0x7fff, 0x8000, 0x8001, 0xffff, 0, 1};
    f[i] = of_bits((unsigned)i << 31 | exponents[i % 9] << 23 | (i * 37u & 127) << 16 | ends[i % 6]);
    d[i] = of_bits(exponents[i / 9 % 9] << 23 | (i * 53u & 127) << 16 | 0x8000) * (i % 3 - 1 ? 1 + i % 7 * 1e-13 : 1e20);
  }
  special(ALL, f, d, of[0], of[1], of[2], of[3]);
  without_nans(4 * ALL, of[0]);
  show("special", of, sizeof of);
  chosen(ALL, x[0]);
  show("chosen", x, sizeof x);
  filter(N, w, y, z);
  show("filter", z, sizeof z);
  return 0;
}
