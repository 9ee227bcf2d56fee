/* An operator combines two values. */
static int middle(int a, int b, int c)
{
  return a > b ? b : c;
}

#pragma farkas reduction(middle: s) neutral(0)
void f(int n, int x[n], int s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = middle(s[0], x[i], 3);
#pragma endscop
}
