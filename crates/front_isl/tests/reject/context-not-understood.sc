domain: { S[i] : 0 <= i < 9 }
context: { : n > 0 }
