domain: { S[i] : 0 <= i < 9; S[i, j] : 0 <= i, j < 9 }
