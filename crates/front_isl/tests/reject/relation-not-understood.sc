domain: [n] -> { S[i] : 0 <= i < n }
validity: [n] -> { S[i] -> S[i + 1] :
  i < n; S[i] -> S[i + k] }
