# Two statements, parameters declared here and there, a relation without bounds.
domain: [n] -> { S[i] : 0 <= i < n;   # dimensions have names
                 T[i, j] : 0 <= i, j < n }
context: [m, n] -> { : n >= 4 and m > n }
validity: { S[i] -> S[i + 1] }
coincidence: { S[i] -> S[i + 1] }
proximity: [n, k] -> { S[i] -> T[i, j] : j < k; T[i, j] -> T[i, j + 1] }
