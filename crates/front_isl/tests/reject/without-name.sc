domain: { S[i] : 0 <= i < 9; [i] : 0 <= i < 9 }
