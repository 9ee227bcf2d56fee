/* Twelve fused operators of deep-learning frameworks as a graph compiler hands them over: a loop nest for each operation, temporaries between
 * them, reductions at the end. Each input has to come from memory once, and nothing else. */
#include "operators.h"

/* 1: a sum of the rows of a narrow matrix, through half precision. */
void cast_cast_sum(float x[64][2], half r[2])
{
    half h[64][2];
    float f[64][2];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 2; j++)
            h[i][j] = (half)x[i][j];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 2; j++)
            f[i][j] = (float)h[i][j];
    for (int j = 0; j < 2; j++)
        r[j] = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 2; j++)
            r[j] += (half)f[i][j];
}

/* 2: a sum of the rows of a large matrix in half precision, accumulated in single precision. */
void cast_sum_cast(float x[1280][21128], half r[21128])
{
    float h[1280][21128];
    float s[21128];
    for (int i = 0; i < 1280; i++)
        for (int j = 0; j < 21128; j++)
            h[i][j] = (half)x[i][j];
    for (int j = 0; j < 21128; j++)
        s[j] = 0;
    for (int i = 0; i < 1280; i++)
        for (int j = 0; j < 21128; j++)
            s[j] += h[i][j];
    for (int j = 0; j < 21128; j++)
        r[j] = (half)s[j];
}

/* 3: a sum of the rows of a small matrix in half precision. */
void cast_sum(half x[64][768], float r[768])
{
    float f[64][768];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 768; j++)
            f[i][j] = (float)x[i][j];
    for (int j = 0; j < 768; j++)
        r[j] = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 768; j++)
            r[j] += f[i][j];
}

/* 4: a product and a sum of each row. */
void mul_sum(float a[1280][21128], float b[1280][21128], float r[1280])
{
    float t[1280][21128];
    for (int i = 0; i < 1280; i++)
        for (int j = 0; j < 21128; j++)
            t[i][j] = a[i][j] * b[i][j];
    for (int i = 0; i < 1280; i++)
        r[i] = 0;
    for (int i = 0; i < 1280; i++)
        for (int j = 0; j < 21128; j++)
            r[i] += t[i][j];
}

/* 5: a sum of -a b. */
void neg_mul_sum(float a[1280], float b[1280], float r[1])
{
    float n[1280];
    float t[1280];
    for (int i = 0; i < 1280; i++)
        n[i] = -a[i];
    for (int i = 0; i < 1280; i++)
        t[i] = n[i] * b[i];
    r[0] = 0;
    for (int i = 0; i < 1280; i++)
        r[0] += t[i];
}

/* 6: a sum of a b c. */
void mul_mul_sum(float a[3072], float b[3072], float c[3072], float r[1])
{
    float t[3072];
    float u[3072];
    for (int i = 0; i < 3072; i++)
        t[i] = a[i] * b[i];
    for (int i = 0; i < 3072; i++)
        u[i] = t[i] * c[i];
    r[0] = 0;
    for (int i = 0; i < 3072; i++)
        r[0] += u[i];
}

/* 7: a sum over a batch of (a + b) c. */
void add_mul_sum(float a[64][128][768], float b[64][128][768], float c[64][128][768], float r[128][768])
{
    float s[64][128][768];
    float t[64][128][768];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                s[i][j][k] = a[i][j][k] + b[i][j][k];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                t[i][j][k] = s[i][j][k] * c[i][j][k];
    for (int j = 0; j < 128; j++)
        for (int k = 0; k < 768; k++)
            r[j][k] = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                r[j][k] += t[i][j][k];
}

/* 8: two sums over batch and rows. */
void add_mul_sums(float a[64][128][768], float b[64][128][768], float c[64][128][768], float d[64][128][768],
                  float p[768], float q[768])
{
    float s[64][128][768];
    float t[64][128][768];
    float u[64][128][768];
    float v[64][128][768];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                s[i][j][k] = a[i][j][k] + b[i][j][k];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                t[i][j][k] = s[i][j][k] * c[i][j][k];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                u[i][j][k] = a[i][j][k] + c[i][j][k];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                v[i][j][k] = u[i][j][k] * d[i][j][k];
    for (int k = 0; k < 768; k++)
        p[k] = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                p[k] += t[i][j][k];
    for (int k = 0; k < 768; k++)
        q[k] = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 128; j++)
            for (int k = 0; k < 768; k++)
                q[k] += v[i][j][k];
}

/* 9: two sums of rows. */
void sums(float a[8192][768], float b[8192][768], float p[768], float q[768])
{
    for (int k = 0; k < 768; k++)
        p[k] = 0;
    for (int i = 0; i < 8192; i++)
        for (int k = 0; k < 768; k++)
            p[k] += a[i][k];
    for (int k = 0; k < 768; k++)
        q[k] = 0;
    for (int i = 0; i < 8192; i++)
        for (int k = 0; k < 768; k++)
            q[k] += b[i][k];
}

/* 10: a reshape, and a sum of rows of half precision. */
void reshape_sum(half x[64][128][12][64], float r[768])
{
    float y[8192][768];
    for (int i = 0; i < 8192; i++)
        for (int k = 0; k < 768; k++)
            y[i][k] = (float)x[i / 128][i % 128][k / 64][k % 64];
    for (int k = 0; k < 768; k++)
        r[k] = 0;
    for (int i = 0; i < 8192; i++)
        for (int k = 0; k < 768; k++)
            r[k] += y[i][k];
}

/* 11: another reshape, and the same sum. */
void rows_sum(half x[64][128][768], float r[768])
{
    float y[8192][768];
    for (int i = 0; i < 8192; i++)
        for (int k = 0; k < 768; k++)
            y[i][k] = (float)x[i / 128][i % 128][k];
    for (int k = 0; k < 768; k++)
        r[k] = 0;
    for (int i = 0; i < 8192; i++)
        for (int k = 0; k < 768; k++)
            r[k] += y[i][k];
}

/* 12: a sum of all elements of a small matrix, in half precision. */
void flat_sum(half x[64][20], half r[1])
{
    float s[1];
    s[0] = 0;
    for (int i = 0; i < 1280; i++)
        s[0] += (float)x[i / 20][i % 20];
    r[0] = (half)s[0];
}
