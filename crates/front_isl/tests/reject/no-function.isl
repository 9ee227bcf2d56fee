domain: { S[i] : 0 <= i < 9 }
schedule: { S[i] -> [j] }
