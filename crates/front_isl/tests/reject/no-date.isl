domain: { S[i] : 0 <= i < 9 }
schedule: { S[i] -> [i] : i < 5 }
reads: { S[i] -> A[i] }
