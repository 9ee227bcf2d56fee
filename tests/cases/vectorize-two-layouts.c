/* why: PolyTOPS' Fig. 1: the loops are distributed, and those of the first statement change places, so that both
 *      innermost loops are contiguous
 * run: --no-tile --strategy npu-vectorize
 * show: schedule code
 * at:
 */
void two_layouts(double a[10][100], double c[10][100], double d[100][10], double e[100][10], double b, double x)
{
#pragma scop
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 10; j++) {
            c[j][i] = a[j][i] * b;
            d[i][j] = e[i][j] * x;
        }
#pragma endscop
}
