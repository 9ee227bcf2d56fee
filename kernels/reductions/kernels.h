/* The kernels of `kernels.c`, for whoever times them. */
#ifndef REDUCTIONS_KERNELS_H
#define REDUCTIONS_KERNELS_H
#include <stdint.h>

double sum(int n, const double x[n]);
float dot(int n, const float x[n], const float y[n]);
double norm2(int n, const double x[n]);
double norm1(int n, const double x[n]);
float greatest(int n, const float x[n]);
double extent(int n, const double x[n]);
int mismatches(int n, const uint8_t a[n], const uint8_t b[n]);
double cosine(int n, const double x[n], const double y[n]);
double variance(int n, const double x[n]);
double frobenius(int n, int m, const double a[n][m], const double b[n][m]);
void rows(int n, int m, const float a[n][m], float r[n]);
void columns(int n, int m, const float a[n][m], float r[m]);
void channels(int n, int c, int m, const float a[n][c][m], float r[c]);
void middle(int n, int k, int m, const float a[n][k][m], float r[n][m]);
void softmax(int n, int m, const float x[n][m], float y[n][m]);
void layernorm(int n, int m, const float x[n][m], const float gain[m], const float bias[m], float y[n][m]);
void atax(int n, int m, const double a[n][m], const double x[m], double y[m], double t[n]);
void bicg(int n, int m, const double a[n][m], const double p[m], const double r[n], double q[n], double s[m]);
void gesummv(int n, const double a[n][n], const double b[n][n], const double x[n], double y[n]);
void mvt(int n, const double a[n][n], const double y1[n], const double y2[n], double x1[n], double x2[n]);
void covariance(int n, int m, double x[n][m], double c[m][m]);
int argmax(int n, const float x[n]);
void histogram(int n, const uint8_t x[n], unsigned count[256]);
void kmeans(int n, int k, int d, const float x[n][d], const float c[k][d], float sum[k][d], int size[k]);
#endif
