domain: { S[i] : 0 <= i < 9 }
proximity: { S[i] }
