# A scop as sets and maps, with all that may be said of its arrays.
context: [n] -> { : n >= 2 }
domain: [n] -> { S[i] : 0 < i < n; T[i, j] : 0 <= i, j < n }
schedule: { S[i] -> [0, i, 0]; T[i, j] -> [1, i, j] }
reads: { S[i] -> A[i - 1]; T[i, j] -> A[i]; T[i, j] -> C[i, j]; S[i] -> x[] }
must_writes: { S[i] -> A[i]; T[i, j] -> C[i, j] }
may_writes: { T[i, j] -> C[i, o] : o < j }
kills: { S[i] -> x[] : i = 1 }
extents: [n] -> { A[i] : 0 <= i < n; C[i, j] : 0 <= i }
live_in: { A[i] }
live_out: { C[i, j] }
elements:
  A: double
  C: unsigned char
  x: long
