/* why: as directives-trsml, with the loops to vectorize found by themselves
 * run: --no-tile --strategy npu-vectorize
 * show: schedule code
 * at: row=4 col=32
 */
void trsml_off_diag(int row, int col, double a[row][row], double b[row][col], double inverse[row][col])
{
#pragma scop
    for (int i = 0; i < row; i++)
        for (int j = 0; j < i; j++)
            for (int l = 0; l < col / 16; l++)
                for (int k = 0; k < 16; k++) {
                    inverse[i][l * 16 + k] = a[i][j] * b[j][l * 16 + k];
                    b[i][l * 16 + k] = b[i][l * 16 + k] - inverse[i][l * 16 + k];
                }
#pragma endscop
}
