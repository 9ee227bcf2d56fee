/* why: the original stands beside what starts threads, and runs without asking anything else where there is too little work for them
 * run: --strategy auto
 * show: code
 * at: n=9 m=4
 */
#include <stdio.h>

static void twice(int n, int m, double A[restrict n][m], double B[restrict n][m])
{
#pragma scop
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            B[i][j] = 2 * A[i][j];
#pragma endscop
}

static double A[400][400], B[400][400];

int main(void)
{
    double sum = 0;
    for (int i = 0; i < 400; i++)
        for (int j = 0; j < 400; j++)
            A[i][j] = i % 9 - j % 4;
    twice(0, 400, A, B);
    twice(20, 400, A, B);
    sum += B[19][399];
    twice(400, 400, A, B);
    for (int i = 0; i < 400; i++)
        for (int j = 0; j < 400; j++)
            sum += B[i][j] * (i % 4 + 1);
    printf("%a\n", sum);
    return 0;
}
