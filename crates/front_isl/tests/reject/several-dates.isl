domain: { S[i] : 0 <= i < 9 }
schedule: { S[i] -> [i]; S[i] -> [i + 1] : i > 5 }
reads: { S[i] -> A[i] }
