/* What a function gives is what it takes. */
static int larger(int a, double b)
{
  return a > b ? a : (int)b;
}

#pragma farkas reduction(larger: s) neutral(0)
void f(int n, int x[n], int s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = larger(s[0], x[i]);
#pragma endscop
}
