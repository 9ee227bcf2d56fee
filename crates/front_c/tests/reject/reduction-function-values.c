/* Nor does a call of a function of the library combine more or fewer. */
double fabs(double x);

#pragma farkas reduction(fabs: s) neutral(0.0)
void f(int n, double x[n], double s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = fabs(s[0]);
#pragma endscop
}
