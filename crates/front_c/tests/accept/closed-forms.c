/* why: integers that the region sets have closed forms: what bounds and subscripts are made of them is affine */
void f(int n, int m, double A[n])
{
#pragma scop
    m = n / 2;
    for (int i = 0; i < m; i++)
        A[i] = 0;
#pragma endscop
}

/* Nothing reads `k` and `next` afterwards: they are parameters, and their assignments disappear. */
void counts(int n, int k, int next, double *restrict A, const double *restrict B)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        next = i + 1;
        A[k] = B[next];
        k += 2;
    }
    for (int i = n; i > 0; i--)
        A[k--] = 0;
#pragma endscop
}

/* `k` keeps its assignments, since it is read afterwards; its value is known all the same. */
int kept(int n, double *restrict A)
{
    int k;
#pragma scop
    k = 3;
    for (int i = 0; i < n; i++) {
        A[k] = i;
        k = k + 1;
    }
#pragma endscop
    return k;
}

/* Strides that are parameters; sums of what inner loops add. */
void strides(int n, int m, int ix, int iy, double *restrict x, double *restrict y, double *restrict z)
{
    int jx = ix, jy = iy, k = 0;
#pragma scop
    for (int i = 0; i < n; i++) {
        y[jy] += x[jx];
        jx += ix;
        jy += iy;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            z[k] = j;
            k++;
        }
#pragma endscop
}

/* What an iteration leaves to the next; what the last one leaves. */
void around(int n, double *restrict A, const double *restrict B)
{
    int before = n - 1;
#pragma scop
    for (int i = 0; i < n; i++) {
        A[i] = B[before];
        before = i;
    }
    A[before] = 1;
#pragma endscop
}

/* Both branches leave the same in `a`, and different values in `b`, which is data. */
void branches(int n, int m, double *restrict A, double *restrict B)
{
    int a, b;
#pragma scop
    if (n > m) {
        a = n;
        b = 1;
    } else {
        a = n;
        b = 2;
    }
    A[a] = 0;
    for (int i = 0; i < n; i++)
        B[b] = i;
#pragma endscop
}

/* The iterator of one loop names a row later. */
void rows(int n, double A[n][n])
{
    int i, j;
#pragma scop
    for (i = 0; i < n; i++)
        A[i][0] = 0;
    i = n - 2;
    for (j = 0; j < n; j++)
        A[i][j] = 1;
#pragma endscop
}

/* What loops inside of another one leave in their iterators. */
void left(int n, double *restrict A, const double *restrict B)
{
    int i, j = 7;
#pragma scop
    for (i = 0; i < n; i++) {
        A[i] = B[j];
        for (j = 0; j < i; j += 3)
            A[i] += 1;
    }
    A[0] = j;
#pragma endscop
}

/* Unsigned counters may wrap around; what is read from data is not known. */
void others(unsigned n, unsigned k, const int *restrict index, double *restrict A, double *restrict B)
{
    int at;
#pragma scop
    for (unsigned i = 0; i < n; i += 2) {
        A[k] = i;
        k -= 3;
    }
    for (unsigned i = 0; i < n; i++) {
        at = index[i];
        B[at] = 0;
        at = 7;
        B[at] = 1;
    }
#pragma endscop
}

/* Pointers that walk along arrays. */
void walks(int n, int m, double *x, double *restrict y, const double *restrict z)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        *y++ = 0.5;
        *++y += 1;
        const double *p = z + i * m;
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += *p++;
        y[-1] = sum;
        y -= 1;
        x++;
    }
#pragma endscop
}

/* The counter of a statement moves behind it. */
void packed(int n, double *restrict A, const double *restrict B)
{
    int k = 0, l = n;
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[k++] = B[j];
    for (int i = 0; i < n; i++)
        A[k++] = B[--l];
#pragma endscop
}

/* The region runs again, with what it left in `k`. */
void again(int n, double *restrict A, const double *restrict B)
{
    int k = 0;
    for (int t = 0; t < n; t++) {
#pragma scop
        for (int i = 0; i < n; i++)
            A[k] = B[i];
        k += 1;
#pragma endscop
    }
}

/* Where the inner loop begins is data that it writes: how far `k` has come is not known. */
void from_data(int n, int *restrict row, double *restrict A)
{
    int k;
#pragma scop
    for (int i = 0; i < n; i++) {
        k = 0;
        for (int j = row[i]; j < n; j++) {
            A[k] = j;
            row[i] = 0;
            k++;
        }
    }
#pragma endscop
}

/* A static variable has its first value in the first call alone. */
void calls(int n, double *restrict A)
{
    static int k = 0;
#pragma scop
    for (int i = 0; i < n; i++) {
        A[k] = i;
        k++;
    }
#pragma endscop
}

/* An unsigned iterator: the first iteration finds what was there before. */
void unsigned_around(unsigned n, double *restrict A, const double *restrict B)
{
    unsigned before = n;
#pragma scop
    for (unsigned i = 0; i < n; i++) {
        A[i] = B[before];
        before = i;
    }
#pragma endscop
}
