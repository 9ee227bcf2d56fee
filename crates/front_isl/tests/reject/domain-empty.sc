domain:
validity: { S[i] -> S[i + 1] }
