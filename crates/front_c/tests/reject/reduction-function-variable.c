/* A pragma in a function names something of it. */
static int larger(int a, int b)
{
  return a > b ? a : b;
}

void f(int n, int x[n], int s[1])
{
#pragma farkas reduction(larger: sum) neutral(0)
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = larger(s[0], x[i]);
#pragma endscop
}
