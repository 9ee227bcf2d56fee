/* A function has one neutral element. */
static int larger(int a, int b)
{
  return a > b ? a : b;
}

#pragma farkas reduction(larger: s) neutral(0)
#pragma farkas reduction(larger: t) neutral(-1)
void f(int n, int x[n], int s[1], int t[1])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    s[0] = larger(s[0], x[i]);
    t[0] = larger(t[0], x[i]);
  }
#pragma endscop
}
