/* why: functions that are called with addresses of variables: what their parameters lead to are the variables */
typedef struct { int w, h; float *pixels; } image;
struct pair { image first, second; };

static void invert(const image *in, image *out)
{
    for (int y = 0; y < in->h; y++)
        for (int x = 0; x < in->w; x++)
            out->pixels[y * in->w + x] = 1 - in->pixels[y * in->w + x];
}

static float at(const image *of, int y, int x)
{
    return of->pixels[y * of->w + x];
}

static void both(image *a, image *b)
{
    invert(a, b);
    invert(b, a);
}

static void add(double *sum, double by)
{
    *sum += by;
}

double f(int n, int w, int h, float *p, float *q, double *A)
{
    image image = {w, h, p};
    struct pair two = {{w, h, p}};
    two.second.h = h;
    two.second.w = (w);
    two.second.pixels = q;
    double sum = 0;
#pragma scop
    for (int i = 0; i < n; i++) {
        both(&two.first, &(two.second));
        A[i] += at(&image, i, i + 1);
        add(&sum, A[i]);
    }
#pragma endscop
    return sum;
}
