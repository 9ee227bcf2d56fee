double A[1000], B[1000][1000], C[1000][1000];
void f(int n, int m)
{
#pragma scop
  for (int i = 0; i < n; i++)
    init: A[i] = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      B[i][j] = A[i] + 1.0;
      for (int k = 0; k < n; k++)
        C[i][j] += B[i][k];
    }
  last: A[0] = 1.0; A[1] = 2.0;
#pragma endscop
}
