/* gauss-jordan: the inverse of a matrix by Gauss-Jordan elimination with partial pivoting, on the
 * matrix extended by the identity.
 * Stresses a pivot row that data decides, an exchange of rows by hand, an early `continue` for the
 * pivot's own row and for zero factors, a return in the middle. */
// sizes: 170 | 520 | 750
#include <math.h>

#include "common.h"

/* m: n rows of 2 n numbers. Gives 0 where the matrix is singular. */
static int gauss_jordan(double *m, int n)
{
    const int w = 2 * n;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        double best = fabs(m[k * w + k]);
        for (int i = k + 1; i < n; i++) {
            if (fabs(m[i * w + k]) > best) {
                best = fabs(m[i * w + k]);
                pivot = i;
            }
        }
        if (best == 0.0)
            return 0;

        if (pivot != k) {
            for (int j = 0; j < w; j++) {
                double t = m[k * w + j];
                m[k * w + j] = m[pivot * w + j];
                m[pivot * w + j] = t;
            }
        }

        double inverse = 1.0 / m[k * w + k];
        for (int j = 0; j < w; j++)
            m[k * w + j] *= inverse;

        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            double factor = m[i * w + k];
            if (factor == 0.0)
                continue;
            for (int j = 0; j < w; j++)
                m[i * w + j] -= factor * m[k * w + j];
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    int n = 520;
    read_sizes(argc, argv, "N", 1, (int *[]){&n});

    size_t count = (size_t)n * 2 * n;
    double *m = allocate(count * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            m[i * 2 * n + j] = (double)((i * 7 + j * 13) % 31) / 31.0 + ((i + 3) % n == j ? n : 0);
            m[i * 2 * n + n + j] = i == j ? 1.0 : 0.0;
        }

    double start = now();
    int regular = gauss_jordan(m, n);
    double seconds = now() - start;

    report(seconds, regular + checksum_double(m, count));
    free(m);
    return 0;
}
