/* kmeans-ternary: k-means in the plane, all in one function, the nearest centre by ternaries.
 * Coordinates stand in separate arrays.
 * Stresses a minimum and its place by `?:`, counts and sums into a[label[i]], and a division that
 * a ternary guards. */
// sizes: 40 3000 32 | 40 90000 32 | 40 270000 32
#include "common.h"

static void kmeans(int rounds, int n, int k, const float *x, const float *y, float *cx, float *cy,
                   float *sx, float *sy, unsigned *count, int *label)
{
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < n; i++) {
            float best = 1e30f;
            int where = 0;
            for (int c = 0; c < k; c++) {
                float dx = x[i] - cx[c];
                float dy = y[i] - cy[c];
                float d = dx * dx + dy * dy;
                where = d < best ? c : where;
                best = d < best ? d : best;
            }
            label[i] = where;
        }

        for (int c = 0; c < k; c++) {
            sx[c] = 0.0f;
            sy[c] = 0.0f;
            count[c] = 0;
        }
        for (int i = 0; i < n; i++) {
            sx[label[i]] += x[i];
            sy[label[i]] += y[i];
            count[label[i]] += 1;
        }
        for (int c = 0; c < k; c++) {
            cx[c] = count[c] > 0 ? sx[c] / (float)count[c] : cx[c];
            cy[c] = count[c] > 0 ? sy[c] / (float)count[c] : cy[c];
        }
    }
}

int main(int argc, char **argv)
{
    int rounds = 40, n = 90000, k = 32;
    read_sizes(argc, argv, "ROUNDS POINTS K", 3, (int *[]){&rounds, &n, &k});
    if (k > n)
        usage(argv[0], "ROUNDS POINTS K, with K <= POINTS");

    float *x = allocate(n * sizeof(float)), *y = allocate(n * sizeof(float));
    float *cx = allocate(k * sizeof(float)), *cy = allocate(k * sizeof(float));
    float *sx = allocate(k * sizeof(float)), *sy = allocate(k * sizeof(float));
    unsigned *count = allocate(k * sizeof(unsigned));
    int *label = allocate(n * sizeof(int));
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i * 17 % 1009) / 10.0f + (float)(i % 7) * 20.0f;
        y[i] = (float)(i * 29 % 977) / 10.0f + (float)(i % 5) * 30.0f;
    }
    for (int c = 0; c < k; c++) {
        cx[c] = x[c];
        cy[c] = y[c];
    }

    double start = now();
    kmeans(rounds, n, k, x, y, cx, cy, sx, sy, count, label);
    double seconds = now() - start;

    double counts = 0.0;
    for (int c = 0; c < k; c++)
        counts += weight(c) * count[c];
    report(seconds, checksum_float(cx, k) + checksum_float(cy, k) + checksum_float(sx, k)
                    + checksum_float(sy, k) + checksum_int(label, n) + counts);
    free(x);
    free(y);
    free(cx);
    free(cy);
    free(sx);
    free(sy);
    free(count);
    free(label);
    return 0;
}
