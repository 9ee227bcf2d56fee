/* A function that is an operator is known. */
static int gdc(int a, int b)
{
  return b ? gdc(b, a % b) : a;
}

void f(int n, int x[n], int s[1])
{
#pragma farkas reduction(gcd: s) neutral(0)
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = s[0] > x[i] ? s[0] : x[i];
#pragma endscop
}
