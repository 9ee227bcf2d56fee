/* why: a function returns what it added up through a second variable, and the nearest of all rows is looked for. Each sum gets a place of its own, and the
 *      copy of it is read there
 * run: --strategy pluto --expand --no-tile
 * show: code
 * at: n=3 m=4
 */
#include <stdio.h>

static float squares(const float *a, const float *b, int m)
{
    float sum = 0.0f;
    for (int j = 0; j < m; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static int nearest(int n, int m, float point[restrict m], float rows[restrict n][m])
{
    float least = 1e30f;
    int at = -1;
#pragma scop
    for (int i = 0; i < n; i++) {
        float distance = squares(point, rows[i], m);
        if (distance < least) {
            least = distance;
            at = i;
        }
    }
#pragma endscop
    return at;
}

int main(void)
{
    static float point[7], rows[9][7];
    for (int j = 0; j < 7; j++)
        point[j] = (float)(3 * j % 5);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 7; j++)
            rows[i][j] = (float)((2 * i + 5 * j) % 7);
    printf("%d %d\n", nearest(9, 7, point, rows), nearest(0, 7, point, rows));
    return 0;
}
