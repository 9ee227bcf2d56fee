/* why: partial results of two updates of one element, each of which finds what it left there itself; iterations may have copies of `found`
 * run: --recipe parts-between.json
 * show: code
 */
#include <stdio.h>

int main(void)
{
    static int b[9][9], sum;
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            b[i][j] = (5 * i + 3 * j) % 17;
    int found = b[2][3];
    printf("%d\n", found);
#pragma scop
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j += 2)
            found = b[i][j];
    for (int c = 0; c < 8; c++)
        for (int j = c + 1; j < 5; j++) {
            sum += b[c + 1][j + 1];
            if (j >= 3)
                sum = sum + b[c][j];
        }
#pragma endscop
    printf("%d\n", sum);
    return 0;
}
