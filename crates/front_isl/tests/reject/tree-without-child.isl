domain: { S[i] : 0 <= i < 9 }
schedule:
  domain: "{ S[i] : 0 <= i < 9 }"
  child:
    sequence:
    - filter: "{ S[i] : i < 3 }"
reads: { S[i] -> A[i] }
