domain: { S[i] : 0 <= i < 9; T[i] : 0 <= i < n }
