/* A neutral element is a value of the type. */
static unsigned char larger(unsigned char a, unsigned char b)
{
  return a > b ? a : b;
}

#pragma farkas reduction(larger: s) neutral(-1)
void f(int n, unsigned char x[n], unsigned char s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = larger(s[0], x[i]);
#pragma endscop
}
