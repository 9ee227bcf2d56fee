/* why: what is behind a pointer is read before the region for the parameters alone for which the region reads it */
struct state { float *x, *q; float scale; int n; };

void scaled(int n, struct state *s, float *y) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] += s->scale * s->x[i];
#pragma endscop
}

void filled(int n, int m, struct state *s) {
#pragma scop
  for (int i = 0; i < n; i++) {
    s->q[i] = 0;
    for (int j = 0; j < m; j++)
      s->q[i] += s->x[j];
  }
#pragma endscop
}

struct layer { int inputs, outputs; const float *weight, *bias; };

void forward(const struct layer *l, int rows, const float *x, float *y) {
#pragma scop
  for (int r = 0; r < rows; r++)
    for (int o = 0; o < l->outputs; o++) {
      float sum = 0;
      if (l->bias != 0)
        sum = l->bias[o];
      for (int i = 0; i < l->inputs; i++)
        sum += x[r * l->inputs + i] * l->weight[o * l->inputs + i];
      y[r * l->outputs + o] = sum;
    }
#pragma endscop
}
