/* why: half precision and truth values are types like others; another name of `_Bool` is looked through, whose numbers are not those of bytes
 * run: --strategy pluto --no-tile
 * show: scop code
 * at: n=7
 */
#include <stdbool.h>
#include <stdio.h>

typedef _Float16 half;
typedef _Bool flag;

static void chosen(int n, half least, half A[n][n], const half x[n], bool is[n], flag any[n], int count[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        is[i] = x[i] > least;
        any[i] = count[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (is[j])
                A[i][j] = (A[i][j] + x[i]) * 0.3f16;
    for (int i = 0; i < n; i++)
        count[i] += is[i] + any[i];
#pragma endscop
}

int main(void)
{
    static half A[19][19], x[19];
    static bool is[19];
    static flag any[19];
    static int count[19];
    for (int i = 0; i < 19; i++) {
        x[i] = i * 7 % 5 - 1.5f16;
        any[i] = i % 2;
        count[i] = i % 3 * 256;
    }
    chosen(19, 0.25f16, A, x, is, any, count);
    for (int i = 0; i < 19; i++) {
        printf("%d %d %d\n", is[i], any[i], count[i]);
        for (int j = 0; j < 19; j++)
            printf("%g\n", (double)A[i][j]);
    }
    return 0;
}
