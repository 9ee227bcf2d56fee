/* A neutral element is a constant: what pragmas hold is not expanded. */
#define LEAST (-2147483647 - 1)

static int larger(int a, int b)
{
  return a > b ? a : b;
}

#pragma farkas reduction(larger: s) neutral(LEAST)
void f(int n, int x[n], int s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = larger(s[0], x[i]);
#pragma endscop
}
