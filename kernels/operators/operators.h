/* The fused operators of operators.c. */
#ifndef OPERATORS_H
#define OPERATORS_H

typedef _Float16 half;

void cast_cast_sum(float x[64][2], half r[2]);
void cast_sum_cast(float x[1280][21128], half r[21128]);
void cast_sum(half x[64][768], float r[768]);
void mul_sum(float a[1280][21128], float b[1280][21128], float r[1280]);
void neg_mul_sum(float a[1280], float b[1280], float r[1]);
void mul_mul_sum(float a[3072], float b[3072], float c[3072], float r[1]);
void add_mul_sum(float a[64][128][768], float b[64][128][768], float c[64][128][768], float r[128][768]);
void add_mul_sums(float a[64][128][768], float b[64][128][768], float c[64][128][768], float d[64][128][768],
                  float p[768], float q[768]);
void sums(float a[8192][768], float b[8192][768], float p[768], float q[768]);
void reshape_sum(half x[64][128][12][64], float r[768]);
void rows_sum(half x[64][128][768], float r[768]);
void flat_sum(half x[64][20], half r[1]);

#endif
