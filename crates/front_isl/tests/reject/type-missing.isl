domain: { S[i] : 0 <= i < 9 }
reads: { S[i] -> A[i] }
elements:
  A:
