domain: { S[i] : 0 <= i < 9 }
validities: { S[i] -> S[i + 1] }
