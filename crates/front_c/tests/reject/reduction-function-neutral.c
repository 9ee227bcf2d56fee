/* Nobody but the user knows the neutral element of a function. */
static int larger(int a, int b)
{
  return a > b ? a : b;
}

#pragma farkas reduction(larger: s)
void f(int n, int x[n], int s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = larger(s[0], x[i]);
#pragma endscop
}
