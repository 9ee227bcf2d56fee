/* why: stages of two resolutions share no loop; those of one count their points, without gaps, guards and divisions;
 *      steps on images that use nothing again have no tiles, and the two channels are not what runs on threads
 * run:
 * show: schedule code
 * at: n=9 m=8
 */
#include <stdio.h>

static void stages(int n, int m, float full[2][2 * n][2 * m], float half[2][n][m], float out[2 * n][2 * m])
{
#pragma scop
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 2 * n; i++)
            for (int j = 0; j < 2 * m; j++)
                full[c][i][j] = 2.0f * full[c][i][j];
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                half[c][i][j] = full[c][2 * i][2 * j] + full[c][2 * i][2 * j + 1];
    for (int i = 0; i < 2 * n; i++)
        for (int j = 0; j < 2 * m; j++)
            if (i % 2 == 1 && j % 2 == 1)
                out[i][j] = half[0][i / 2][(j - 1) / 2];
            else if (i % 2 == 1)
                out[i][j] = half[1][i / 2][j / 2];
#pragma endscop
}

int main(void)
{
    enum { N = 35, M = 21 };
    static float full[2][2 * N][2 * M], half[2][N][M], out[2 * N][2 * M];
    for (int i = 0; i < 2 * N; i++)
        for (int j = 0; j < 2 * M; j++) {
            full[0][i][j] = (float)(i * 3 + j);
            full[1][i][j] = (float)(i - 5 * j);
        }
    stages(N, M, full, half, out);
    for (int i = 0; i < 2 * N; i++)
        for (int j = 0; j < 2 * M; j++)
            printf("%a\n", (double)out[i][j]);
    return 0;
}
