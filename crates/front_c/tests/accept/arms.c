/* why: what a condition on the iteration guards is touched, and stays in its row, where the condition holds alone */
void f(int rows, int cols, const double *in, double *out, double *last, double big)
{
#pragma scop
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double up = i > 0 ? in[(i - 1) * cols + j] : 0.0;
            double left = j > 0 && i < rows - 1 ? in[i * cols + j - 1] : in[i * cols + j];
            out[i * cols + j] = up + left;
            if (j < cols - 1 && in[i * cols + j + 1] > big)
                out[i * cols + j] = 0;
            if (out[i * cols + j] > big) {
                if (j == 0)
                    last[i] = in[i * cols + j];
                else
                    last[i] = in[i * cols + j - 1];
            }
        }
#pragma endscop
}
