domain: { S[i] : 0 <= i < 9 } 17
validity: { S[i] -> S[i + 1] }
