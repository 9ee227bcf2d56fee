# What is not in the domain says nothing.
domain: { S[i] : 0 <= i < 9 }
validity: { S[i] -> S[i + 1]; T[i] -> S[i]; S[i] -> S[i, 0] }
proximity: { S[i] -> S[i + 10] }
