domain: { S[i] : 0 <= i < 9 }
schedule:
  domain: "{ S[i] : 0 <= i < 9 }"
  chilt:
    schedule: "[{ S[i] -> [(i)] }]"
reads: { S[i] -> A[i] }
