# Several instances with one date.
domain: { T[i] : 0 <= i < 8; S[] }
schedule: { T[i] -> [floor(i/2)]; S[] -> [9] }
must_writes: { S[] -> A[0]; T[i] -> A[i]; U[] -> A[0] }
