/* why: scalars that each run of a block sets before it reads them are the block's own, and what they tie together is one statement */
void tied(int n, double A[n], const double B[n], double C[n])
{
    int i;
    double t, u, v;
#pragma scop
    for (i = 0; i < n; i++) {
        C[i] = 0;
        t = A[i] - B[i];
        u = t * t;
        A[i] = u;
        v = B[i];
        C[i] += v * v;
    }
    for (i = 0; i < n; i++) {
        t = B[i];
        A[i] += t;
    }
#pragma endscop
}

/* Both branches set it; where one of them does not, it has the value that it had. */
void branches(int n, double A[n], const double B[n], double t, double u)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        if (B[i] > 0)
            t = B[i];
        else
            t = -B[i];
        A[i] = t * t;
    }
    for (int i = 0; i < n; i++) {
        u = 1;
        if (B[i] > 0)
            u = B[i];
        A[i] *= u;
    }
#pragma endscop
}

/* A value that somebody reads later, one that goes from one iteration to the next, and one that a loop inside reads. */
double others(int n, double A[n][n], double B[n], double later, double before, double across)
{
    before = 0;
#pragma scop
    for (int i = 0; i < n; i++) {
        later = B[i];
        B[i] = later * later;
    }
    for (int i = 0; i < n; i++) {
        B[i] += before;
        before = B[i] * 2;
    }
    for (int i = 0; i < n; i++) {
        across = B[i];
        for (int j = 0; j < n; j++)
            A[i][j] *= across;
    }
#pragma endscop
    return later;
}

/* Sums, what a condition on iterators splits, and what has a name stay apart. */
double apart(int n, double A[n], const double B[n])
{
    double t, u, v, sum = 0;
#pragma scop
    for (int i = 0; i < n; i++) {
        t = A[i] - B[i];
        sum += t * t;
    }
    for (int i = 0; i < n; i++) {
        u = B[i];
        if (i > 2)
            A[i] = u * u;
    }
    for (int i = 0; i < n; i++) {
        v = B[i];
square: A[i] = v * v;
    }
#pragma endscop
    return sum;
}

/* A loop whose bound is data is a part of the statement. */
void inner(int n, double A[restrict n], const int row[n + 1], const double B[])
{
    double t;
    int j;
#pragma scop
    for (int i = 0; i < n; i++) {
        t = A[i];
        for (j = row[i]; j < row[i + 1]; j++)
            t += B[j];
        A[i] = t;
    }
#pragma endscop
}

/* A sum over a loop further out, and a name that the block itself declares again, stay apart, too. */
void further(int n, double A[n], double B[n][n], double C[n], double t, double u)
{
#pragma scop
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            t = B[k][j] * 2;
            A[j] += t;
        }
    for (int i = 0; i < n; i++) {
        t = C[i];
        u = t * t;
        double t = 3;
        C[i] = u + t;
    }
#pragma endscop
}
