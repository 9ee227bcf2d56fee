/* Reductions as people write them: each function reads its operands once and leaves one result, or a row of them. With
 * -DHAND they carry the OpenMP pragmas that a careful hand would add; Farkas reads them without. */
#include <math.h>
#include <stdint.h>

#ifdef HAND
#define OMP(text) _Pragma(#text)
#else
#define OMP(text)
#endif

#include "kernels.h"

/* All-reductions. */

double sum(int n, const double x[n])
{
    double s = 0.0;
    OMP(omp parallel for reduction(+ : s))
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

float dot(int n, const float x[n], const float y[n])
{
    float s = 0.0f;
    OMP(omp parallel for reduction(+ : s))
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

double norm2(int n, const double x[n])
{
    double s = 0.0;
    OMP(omp parallel for reduction(+ : s))
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

double norm1(int n, const double x[n])
{
    double s = 0.0;
    OMP(omp parallel for reduction(+ : s))
    for (int i = 0; i < n; i++)
        s += fabs(x[i]);
    return s;
}

float greatest(int n, const float x[n])
{
    float m = x[0];
    OMP(omp parallel for reduction(max : m))
    for (int i = 1; i < n; i++)
        if (x[i] > m)
            m = x[i];
    return m;
}

double extent(int n, const double x[n])
{
    double least = x[0], most = x[0];
    OMP(omp parallel for reduction(min : least) reduction(max : most))
    for (int i = 1; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    return most - least;
}

int mismatches(int n, const uint8_t a[n], const uint8_t b[n])
{
    int count = 0;
    OMP(omp parallel for reduction(+ : count))
    for (int i = 0; i < n; i++)
        count += a[i] != b[i];
    return count;
}

double cosine(int n, const double x[n], const double y[n])
{
    double xy = 0.0, xx = 0.0, yy = 0.0;
    OMP(omp parallel for reduction(+ : xy, xx, yy))
    for (int i = 0; i < n; i++) {
        xy += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
    }
    return xy / sqrt(xx * yy);
}

double variance(int n, const double x[n])
{
    double mean = 0.0, square = 0.0;
    OMP(omp parallel for reduction(+ : mean))
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    OMP(omp parallel for reduction(+ : square))
    for (int i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean);
    return square / (n - 1);
}

double frobenius(int n, int m, const double a[n][m], const double b[n][m])
{
    double s = 0.0;
    OMP(omp parallel for reduction(+ : s))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]);
    return sqrt(s);
}

/* Rows, columns, and both at once. */

void rows(int n, int m, const float a[n][m], float r[n])
{
    OMP(omp parallel for)
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        for (int j = 0; j < m; j++)
            s += a[i][j];
        r[i] = s;
    }
}

void columns(int n, int m, const float a[n][m], float r[m])
{
    for (int j = 0; j < m; j++)
        r[j] = 0.0f;
    OMP(omp parallel for reduction(+ : r[:m]))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            r[j] += a[i][j];
}

void channels(int n, int c, int m, const float a[n][c][m], float r[c])
{
    OMP(omp parallel for)
    for (int k = 0; k < c; k++) {
        r[k] = 0.0f;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                r[k] += a[i][k][j];
    }
}

void middle(int n, int k, int m, const float a[n][k][m], float r[n][m])
{
    OMP(omp parallel for)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            r[i][j] = 0.0f;
        for (int t = 0; t < k; t++)
            for (int j = 0; j < m; j++)
                r[i][j] += a[i][t][j];
    }
}

/* Operators of neural networks. */

void softmax(int n, int m, const float x[n][m], float y[n][m])
{
    OMP(omp parallel for)
    for (int i = 0; i < n; i++) {
        float most = x[i][0], total = 0.0f;
        for (int j = 1; j < m; j++)
            most = x[i][j] > most ? x[i][j] : most;
        for (int j = 0; j < m; j++) {
            y[i][j] = expf(x[i][j] - most);
            total += y[i][j];
        }
        for (int j = 0; j < m; j++)
            y[i][j] /= total;
    }
}

void layernorm(int n, int m, const float x[n][m], const float gain[m], const float bias[m], float y[n][m])
{
    OMP(omp parallel for)
    for (int i = 0; i < n; i++) {
        float mean = 0.0f, square = 0.0f;
        for (int j = 0; j < m; j++)
            mean += x[i][j];
        mean /= m;
        for (int j = 0; j < m; j++)
            square += (x[i][j] - mean) * (x[i][j] - mean);
        float scale = 1.0f / sqrtf(square / m + 1e-5f);
        for (int j = 0; j < m; j++)
            y[i][j] = (x[i][j] - mean) * scale * gain[j] + bias[j];
    }
}

/* Products of matrices and vectors. */

void atax(int n, int m, const double a[n][m], const double x[m], double y[m], double t[n])
{
    for (int j = 0; j < m; j++)
        y[j] = 0.0;
    OMP(omp parallel for reduction(+ : y[:m]))
    for (int i = 0; i < n; i++) {
        t[i] = 0.0;
        for (int j = 0; j < m; j++)
            t[i] += a[i][j] * x[j];
        for (int j = 0; j < m; j++)
            y[j] += a[i][j] * t[i];
    }
}

void bicg(int n, int m, const double a[n][m], const double p[m], const double r[n], double q[n], double s[m])
{
    for (int j = 0; j < m; j++)
        s[j] = 0.0;
    OMP(omp parallel for reduction(+ : s[:m]))
    for (int i = 0; i < n; i++) {
        q[i] = 0.0;
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}

void gesummv(int n, const double a[n][n], const double b[n][n], const double x[n], double y[n])
{
    OMP(omp parallel for)
    for (int i = 0; i < n; i++) {
        double left = 0.0, right = 0.0;
        for (int j = 0; j < n; j++) {
            left += a[i][j] * x[j];
            right += b[i][j] * x[j];
        }
        y[i] = 1.5 * left + 1.2 * right;
    }
}

void mvt(int n, const double a[n][n], const double y1[n], const double y2[n], double x1[n], double x2[n])
{
    OMP(omp parallel for reduction(+ : x2[:n]))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x1[i] += a[i][j] * y1[j];
            x2[j] += a[i][j] * y2[i];
        }
}

void covariance(int n, int m, double x[n][m], double c[m][m])
{
    double mean[m];
    for (int j = 0; j < m; j++)
        mean[j] = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            mean[j] += x[i][j];
    for (int j = 0; j < m; j++)
        mean[j] /= n;
    OMP(omp parallel for)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i][j] -= mean[j];
    OMP(omp parallel for schedule(dynamic, 8))
    for (int i = 0; i < m; i++) {
        for (int j = i; j < m; j++)
            c[i][j] = 0.0;
        for (int k = 0; k < n; k++)
            for (int j = i; j < m; j++)
                c[i][j] += x[k][i] * x[k][j];
        for (int j = i; j < m; j++)
            c[i][j] /= n - 1;
    }
}

/* Results at places that the data say. */

int argmax(int n, const float x[n])
{
    int at = 0;
    float most = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > most) {
            most = x[i];
            at = i;
        }
    return at;
}

void histogram(int n, const uint8_t x[n], unsigned count[256])
{
    OMP(omp parallel for reduction(+ : count[:256]))
    for (int i = 0; i < n; i++)
        count[x[i]]++;
}

void kmeans(int n, int k, int d, const float x[n][d], const float c[k][d], float sum[k][d], int size[k])
{
    for (int q = 0; q < k; q++) {
        size[q] = 0;
        for (int t = 0; t < d; t++)
            sum[q][t] = 0.0f;
    }
    OMP(omp parallel for reduction(+ : size[:k], sum[:k][:d]))
    for (int i = 0; i < n; i++) {
        int nearest = 0;
        float least = INFINITY;
        for (int q = 0; q < k; q++) {
            float distance = 0.0f;
            for (int t = 0; t < d; t++)
                distance += (x[i][t] - c[q][t]) * (x[i][t] - c[q][t]);
            if (distance < least) {
                least = distance;
                nearest = q;
            }
        }
        size[nearest]++;
        for (int t = 0; t < d; t++)
            sum[nearest][t] += x[i][t];
    }
}
