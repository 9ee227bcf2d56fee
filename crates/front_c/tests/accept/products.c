/* why: a bound that is a product of parameters is one parameter more; where its loop may not be reached, it is computed
   so that it neither traps nor overflows */
void whole(int n, int m, double *x) {
#pragma scop
  for (int i = 0; i < n * m; i++)
    x[i] = 2 * x[i];
#pragma endscop
}

struct shape { int w, h; };

void nested(int batch, struct shape *s, int c, float y[batch][1000], long k) {
#pragma scop
  for (int b = 0; b < batch * s->w; b++)
    for (int i = k / 2; i < c * (s->w + 1) * s->h - 1; i++)
      y[b][i] += 1;
#pragma endscop
}

void quotient(int n, int m, double *x) {
#pragma scop
  for (int i = n / m; i < (n & ~7); i++)
    x[i] = 0;
#pragma endscop
}

int width, height;

void globals(double *x) {
#pragma scop
  for (int i = 0; i < width * height; i++)
    x[i] = width;
#pragma endscop
}

void read(int *n, int *m);
void told(double *x) {
  int n, m;
  read(&n, &m);
#pragma scop
  for (long i = 0; i < (long)n * m; i++)
    x[i] = i;
#pragma endscop
}
