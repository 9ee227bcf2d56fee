/* What is converted between updates depends on their order. */
static int larger(int a, int b)
{
  return a > b ? a : b;
}

#pragma farkas reduction(larger: s) neutral(0)
void f(int n, int x[n], short s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = larger(s[0], x[i]);
#pragma endscop
}
