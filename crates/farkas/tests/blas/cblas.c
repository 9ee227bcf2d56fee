/* CBLAS from its definition, by rows, for tests: slow, and strict about its arguments. */
#include "cblas.h"
#include <stdio.h>
#include <stdlib.h>

static void check(int holds, const char *what)
{
    if (!holds) {
        printf("wrong argument of %s\n", what);
        exit(1);
    }
}

/* Scales what is updated: what is multiplied by zero is not read. */
#define SCALED(x, beta) ((beta) == 0 ? 0 : (beta) * (x))
#define STORED(uplo, i, j) ((uplo) == CblasLower ? (j) <= (i) : (i) <= (j))

#define DEFINE(T, P) \
static T P##op(int t, const T *a, int ld, int i, int j) { return t == CblasTrans ? a[j * ld + i] : a[i * ld + j]; } \
static T P##sym(int uplo, const T *a, int ld, int i, int j) { return STORED(uplo, i, j) ? a[i * ld + j] : a[j * ld + i]; } \
/* An entry of op(A), which is triangular. */ \
static T P##tri(int uplo, int t, int diag, const T *a, int ld, int i, int j) \
{ \
    if (i == j && diag == CblasUnit) return 1; \
    if (t == CblasTrans) { int h = i; i = j; j = h; } \
    return STORED(uplo, i, j) ? a[i * ld + j] : 0; \
} \
void cblas_##P##gemm(int order, int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) \
{ \
    check(order == CblasRowMajor && m >= 0 && n >= 0 && k >= 0, "gemm"); \
    check(lda >= (ta == CblasTrans ? m : k) && ldb >= (tb == CblasTrans ? k : n) && ldc >= n, "gemm: rows"); \
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { \
        T sum = 0; \
        for (int l = 0; l < k; l++) sum += P##op(ta, a, lda, i, l) * P##op(tb, b, ldb, l, j); \
        c[i * ldc + j] = SCALED(c[i * ldc + j], beta) + alpha * sum; \
    } \
} \
void cblas_##P##symm(int order, int side, int uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) \
{ \
    int of = side == CblasLeft ? m : n; \
    check(order == CblasRowMajor && m >= 0 && n >= 0 && lda >= of && ldb >= n && ldc >= n, "symm"); \
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { \
        T sum = 0; \
        for (int l = 0; l < of; l++) \
            sum += side == CblasLeft ? P##sym(uplo, a, lda, i, l) * b[l * ldb + j] : b[i * ldb + l] * P##sym(uplo, a, lda, l, j); \
        c[i * ldc + j] = SCALED(c[i * ldc + j], beta) + alpha * sum; \
    } \
} \
void cblas_##P##syrk(int order, int uplo, int ta, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc) \
{ \
    check(order == CblasRowMajor && n >= 0 && k >= 0 && lda >= (ta == CblasTrans ? n : k) && ldc >= n, "syrk"); \
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (STORED(uplo, i, j)) { \
        T sum = 0; \
        for (int l = 0; l < k; l++) sum += P##op(ta, a, lda, i, l) * P##op(ta, a, lda, j, l); \
        c[i * ldc + j] = SCALED(c[i * ldc + j], beta) + alpha * sum; \
    } \
} \
void cblas_##P##syr2k(int order, int uplo, int ta, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) \
{ \
    int row = ta == CblasTrans ? n : k; \
    check(order == CblasRowMajor && n >= 0 && k >= 0 && lda >= row && ldb >= row && ldc >= n, "syr2k"); \
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (STORED(uplo, i, j)) { \
        T sum = 0; \
        for (int l = 0; l < k; l++) \
            sum += P##op(ta, a, lda, i, l) * P##op(ta, b, ldb, j, l) + P##op(ta, b, ldb, i, l) * P##op(ta, a, lda, j, l); \
        c[i * ldc + j] = SCALED(c[i * ldc + j], beta) + alpha * sum; \
    } \
} \
void cblas_##P##trmm(int order, int side, int uplo, int ta, int diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb) \
{ \
    int of = side == CblasLeft ? m : n; \
    check(order == CblasRowMajor && m >= 0 && n >= 0 && lda >= of && ldb >= n, "trmm"); \
    T *old = malloc(sizeof(T) * (size_t)(m * n + 1)); \
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) old[i * n + j] = b[i * ldb + j]; \
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { \
        T sum = 0; \
        for (int l = 0; l < of; l++) \
            sum += side == CblasLeft ? P##tri(uplo, ta, diag, a, lda, i, l) * old[l * n + j] : old[i * n + l] * P##tri(uplo, ta, diag, a, lda, l, j); \
        b[i * ldb + j] = alpha * sum; \
    } \
    free(old); \
} \
void cblas_##P##trsm(int order, int side, int uplo, int ta, int diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb) \
{ \
    int of = side == CblasLeft ? m : n; \
    check(order == CblasRowMajor && m >= 0 && n >= 0 && lda >= of && ldb >= n, "trsm"); \
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) b[i * ldb + j] *= alpha; \
    /* Rows of op(A) on the left, columns on the right, in the order in which they depend on others. */ \
    int is_lower = (uplo == CblasLower) != (ta == CblasTrans); \
    int is_upward = is_lower == (side == CblasLeft); \
    for (int at = 0; at < of; at++) { \
        int p = is_upward ? at : of - 1 - at; \
        for (int q = 0; q < (side == CblasLeft ? n : m); q++) { \
            T *x = side == CblasLeft ? &b[p * ldb + q] : &b[q * ldb + p]; \
            for (int l = 0; l < of; l++) if (is_upward ? l < p : l > p) \
                *x -= side == CblasLeft ? P##tri(uplo, ta, diag, a, lda, p, l) * b[l * ldb + q] : b[q * ldb + l] * P##tri(uplo, ta, diag, a, lda, l, p); \
            *x /= P##tri(uplo, ta, diag, a, lda, p, p); \
        } \
    } \
} \
void cblas_##P##gemv(int order, int ta, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy) \
{ \
    check(order == CblasRowMajor && m >= 0 && n >= 0 && lda >= n && incx > 0 && incy > 0, "gemv"); \
    int rows = ta == CblasTrans ? n : m, cols = ta == CblasTrans ? m : n; \
    for (int i = 0; i < rows; i++) { \
        T sum = 0; \
        for (int l = 0; l < cols; l++) sum += P##op(ta, a, lda, i, l) * x[l * incx]; \
        y[i * incy] = SCALED(y[i * incy], beta) + alpha * sum; \
    } \
} \
void cblas_##P##symv(int order, int uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy) \
{ \
    check(order == CblasRowMajor && n >= 0 && lda >= n && incx > 0 && incy > 0, "symv"); \
    for (int i = 0; i < n; i++) { \
        T sum = 0; \
        for (int l = 0; l < n; l++) sum += P##sym(uplo, a, lda, i, l) * x[l * incx]; \
        y[i * incy] = SCALED(y[i * incy], beta) + alpha * sum; \
    } \
} \
void cblas_##P##trmv(int order, int uplo, int ta, int diag, int n, const T *a, int lda, T *x, int incx) \
{ \
    check(incx > 0, "trmv"); \
    cblas_##P##trmm(order, CblasLeft, uplo, ta, diag, n, 1, 1, a, lda, x, incx); \
} \
void cblas_##P##trsv(int order, int uplo, int ta, int diag, int n, const T *a, int lda, T *x, int incx) \
{ \
    check(incx > 0, "trsv"); \
    cblas_##P##trsm(order, CblasLeft, uplo, ta, diag, n, 1, 1, a, lda, x, incx); \
} \
void cblas_##P##ger(int order, int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) \
{ \
    check(order == CblasRowMajor && m >= 0 && n >= 0 && lda >= n && incx > 0 && incy > 0, "ger"); \
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i * lda + j] += alpha * x[i * incx] * y[j * incy]; \
} \
void cblas_##P##syr(int order, int uplo, int n, T alpha, const T *x, int incx, T *a, int lda) \
{ \
    check(order == CblasRowMajor && n >= 0 && lda >= n && incx > 0, "syr"); \
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (STORED(uplo, i, j)) \
        a[i * lda + j] += alpha * x[i * incx] * x[j * incx]; \
} \
void cblas_##P##syr2(int order, int uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) \
{ \
    check(order == CblasRowMajor && n >= 0 && lda >= n && incx > 0 && incy > 0, "syr2"); \
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (STORED(uplo, i, j)) \
        a[i * lda + j] += alpha * (x[i * incx] * y[j * incy] + y[i * incy] * x[j * incx]); \
}

DEFINE(double, d)
DEFINE(float, s)
