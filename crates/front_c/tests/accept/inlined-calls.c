/* why: the bodies of functions stand in the place of their calls in loops, with names that clash changed */
static double scale = 2;

static void axpy(double a, const double *x, double *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * scale * x[i];
}

static double dot(const double *x, const double y[], int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

static void both(int n, double m[][20], int row, double *y)
{
    axpy(m[row][0], m[row], y, n);
    swap(&y[0], &y[n - 1]);
}

void rows(int n, int m, double x[m][20], double y[n], double out[m])
{
#pragma scop
    for (int i = 0; i < m; i++) {
        both(n, x, i, y);
        double s = dot(x[i], x[i], 20);
        out[i] = dot(x[i], y, n);
        out[i] *= s;
    }
#pragma endscop
}
