/* why: sixty-four points look for their nearest centre at once, each in its own order; each thread has a buffer for their coordinates
 * run: --recipe outer-lanes.json
 * show: tree code
 * at: n=131 k=3 d=5
 */
void outer_lanes(int n, int k, int d, float x[n][d], float c[k][d], int where[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        int nearest = 0;
        float least = 1e30f;
        for (int q = 0; q < k; q++) {
            float distance = 0.0f;
            for (int t = 0; t < d; t++)
                distance += (x[i][t] - c[q][t]) * (x[i][t] - c[q][t]);
            if (distance < least) {
                least = distance;
                nearest = q;
            }
        }
        where[i] = nearest;
    }
#pragma endscop
}
