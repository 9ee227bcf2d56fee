/* why: whether what is behind a pointer is read depends on data, so that it cannot be read before */
struct state { float *x; int n; };

void scaled(int n, struct state *s, float *y) {
#pragma scop
  for (int i = 0; i < n; i++)
    if (y[i] > 0)
      y[i] += s->x[i];
#pragma endscop
}

void bounded(int n, struct state *s, float *y) {
#pragma scop
  for (int i = 0; i < n; i++)
    if (y[i] > 0)
      y[i] += s->n;
  for (int j = 0; j < n; j++)
    if (j > n - 2 && j < s->n)
      y[j] += 1;
#pragma endscop
}
