/* A pragma that names no reduction is an error; one that has no effect is told of. */
#pragma farkas reduction(-: s)
void f(int n, double x[n], double s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] += x[i];
#pragma endscop
}
