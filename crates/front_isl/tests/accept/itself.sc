# An instance and itself are no pair of an order, whatever the relation says.
domain: { S[i] : 0 <= i < 9; T[i] : 0 <= i < 9 }
validity: { S[i] -> S[i]; T[i] -> T[j] : i <= j }
