reads: { S[i] -> A[i] }
