domain: { [S[i] -> T[j]] : 0 <= i, j < 9 }
