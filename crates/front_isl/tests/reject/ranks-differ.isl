domain: { S[i] : 0 <= i < 9 }
reads: { S[i] -> A[i] }
must_writes: { S[i] -> A[i, 0] }
