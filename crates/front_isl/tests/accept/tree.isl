# The order as a schedule tree.
domain: { S[i] : 0 <= i < 8; T[i] : 0 <= i < 8 }
schedule:
  domain: "{ S[i] : 0 <= i < 8; T[i] : 0 <= i < 8 }"
  child:
    schedule: "[{ S[i] -> [(i)]; T[i] -> [(7 - i)] }]"
    child:
      sequence:
      - filter: "{ T[i] }"
      - filter: "{ S[i] }"
must_writes: { S[i] -> A[i]; T[i] -> A[i] }
