domain: { S[i] : 0 <= i < 9 }
reads: { S[i] -> A[i] }
writes: { S[i] -> A[i] }
