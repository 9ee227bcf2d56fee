/* Loops whose counters, bounds and sums of both lie near the ends of their types, at domains of a few points. Compiled with
 * -fsanitize=undefined, original and result print the same. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double A[64][64], B[64];
static int K[64];

/* Counters of tiles pass the last value. */
static void ends(int n, int m)
{
#pragma scop
    for (int i = n - 5; i < n; i++)
        for (int j = m - 7; j < m; j++)
            A[i - (n - 5)][j - (m - 7)] += i % 7 + j / 2 * 1.5;
#pragma endscop
}

/* Sums of iterators. */
static void skewed(int T, int n)
{
#pragma scop
    for (int t = T - 4; t < T; t++)
        for (int i = n - 9; i < n - 1; i++)
            A[t - (T - 4) + 1][i - (n - 10)] =
                A[t - (T - 4)][i - (n - 10) - 1] + A[t - (T - 4)][i - (n - 10) + 1] * 0.5;
#pragma endscop
}

/* Twice an iterator. */
static void twice(int T, int n)
{
#pragma scop
    for (int t = T - 4; t < T; t++) {
        for (int i = n - 9; i < n - 1; i++)
            B[i - (n - 10)] = A[0][i - (n - 10) - 1] + A[0][i - (n - 10) + 1] * 0.5;
        for (int i = n - 9; i < n - 1; i++)
            A[0][i - (n - 10)] = B[i - (n - 10)];
    }
#pragma endscop
}

/* Last values that are reached. */
static void reached(int n)
{
#pragma scop
    for (int i = n - 3; i <= n; i++)
        for (int j = -n; j >= -n - 3; j--)
            A[i - (n - 3)][-n - j] += i - j * 0.5;
#pragma endscop
}

/* Strides, downward from nothing. */
static void down(int n)
{
#pragma scop
    for (int i = n - 1; i >= 0; i -= 3) {
        A[0][i] = A[0][i] * 2 + i / 2 * 0.5;
        K[i / 2] += i;
    }
#pragma endscop
}

/* The first values of unsigned parameters are the last of signed ones. */
static void unsigneds(unsigned n)
{
#pragma scop
    for (unsigned i = n - 5; i < n; i++)
        for (int j = 0; j < 40; j++)
            A[i - (n - 5)][j] += i / 2 * 1.5 + (i - 1u) % 3  + (i >> 3) + i * i;
#pragma endscop
}

static void narrow(void)
{
#pragma scop
    for (short i = 0; i < 20; i++)
        for (unsigned char j = 0; j < 20; j++)
            A[i][j] += i * i / 3 + (i - 1u) / 2 + (j << 4) + (double)(i - j);
#pragma endscop
}

static void longs(long n, long m)
{
#pragma scop
    for (long i = n - 5; i < n; i++)
        for (long j = m - 7; j < m; j++)
            A[i - (n - 5)][j - (m - 7)] += i % 7 + j / 2 * 1.5;
#pragma endscop
}

static void skewed_longs(long T, long n)
{
#pragma scop
    for (long t = T - 4; t < T; t++)
        for (long i = n - 9; i < n - 1; i++)
            A[t - (T - 4) + 1][i - (n - 10)] =
                A[t - (T - 4)][i - (n - 10) - 1] + A[t - (T - 4)][i - (n - 10) + 1] * 0.5;
#pragma endscop
}

static void sizes(size_t n)
{
#pragma scop
    for (size_t i = n - 5; i < n; i++)
        for (int j = 0; j < 40; j++)
            A[i - (n - 5)][j] += i % 5 + j;
#pragma endscop
}

static void shown(const char *what)
{
    double sum = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            sum += A[i][j] * (i + 1) * (j + 2);
    for (int j = 0; j < 64; j++)
        sum += B[j] * j + K[j] * (j + 1);
    printf("%s %a\n", what, sum);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            A[i][j] = (i * 3 + j) % 8;
    memset(B, 0, sizeof B);
    memset(K, 0, sizeof K);
}

int main(void)
{
    const int ints[] = {INT_MIN + 12, -3, 0, 1, 5, 40, INT_MAX - 40, INT_MAX - 1, INT_MAX};
    const long longest[] = {LONG_MIN + 12, -3, 0, 5, INT_MAX, 1L << 40, LONG_MAX - 40, LONG_MAX - 1, LONG_MAX};
    shown("start");
    for (int a = 0; a < 9; a++) {
        for (int b = 0; b < 9; b++) {
            ends(ints[a], ints[b]), shown("ends");
            skewed(ints[a], ints[b]), shown("skewed");
            twice(ints[a], ints[b]), shown("twice");
            longs(longest[a], longest[b]), shown("longs");
            skewed_longs(longest[a], longest[b]), shown("skewed longs");
        }
        if (ints[a] < INT_MAX - 2 && ints[a] > INT_MIN + 20)
            reached(ints[a]), shown("reached");
        unsigneds(ints[a] > 4 ? (unsigned)ints[a] : UINT_MAX + ints[a] - 1), shown("unsigned");
        sizes(longest[a] > 4 ? (size_t)longest[a] : 77), shown("sizes");
    }
    for (int n = -4; n < 20; n++)
        down(n), shown("down");
    narrow(), shown("narrow");
    return 0;
}
