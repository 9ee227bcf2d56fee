struct state { float *x; int n; };

void scaled(int n, struct state *s, float *y) {
#pragma scop
  for (int i = 0; i < n; i++)
    if (y[i] > 0)
      y[i] += s->x[i];
#pragma endscop
}

void bounded(int n, int m, struct state *s, float *y) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < s->n; j++)
      y[j] += i;
#pragma endscop
}
