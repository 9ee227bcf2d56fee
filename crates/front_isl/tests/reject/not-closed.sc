domain: { S[i : 0 <= i < 9 }
validity: { S[i] -> S[i + 1] }
