# No order: as the domain names them.
domain: { T[i] : 0 <= i < 8; S[] }
must_writes: { S[] -> A[0]; T[i] -> A[i] }
