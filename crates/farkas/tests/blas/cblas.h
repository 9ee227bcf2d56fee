/* The part of CBLAS that Farkas calls, for tests. */
#ifndef CBLAS_H
#define CBLAS_H

enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };
enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 };
enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 };
enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 };

#define DECLARE(T, P) \
    void cblas_##P##gemm(int order, int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc); \
    void cblas_##P##symm(int order, int side, int uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc); \
    void cblas_##P##syrk(int order, int uplo, int ta, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc); \
    void cblas_##P##syr2k(int order, int uplo, int ta, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc); \
    void cblas_##P##trmm(int order, int side, int uplo, int ta, int diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb); \
    void cblas_##P##trsm(int order, int side, int uplo, int ta, int diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb); \
    void cblas_##P##gemv(int order, int ta, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy); \
    void cblas_##P##symv(int order, int uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy); \
    void cblas_##P##trmv(int order, int uplo, int ta, int diag, int n, const T *a, int lda, T *x, int incx); \
    void cblas_##P##trsv(int order, int uplo, int ta, int diag, int n, const T *a, int lda, T *x, int incx); \
    void cblas_##P##ger(int order, int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda); \
    void cblas_##P##syr(int order, int uplo, int n, T alpha, const T *x, int incx, T *a, int lda); \
    void cblas_##P##syr2(int order, int uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);
DECLARE(double, d)
DECLARE(float, s)
#undef DECLARE

#endif
