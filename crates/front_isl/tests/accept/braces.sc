{ domain: "{ S[i] : 0 <= i <= 3 }", "validity": "{ S[i] -> S[i + 1] }", context: "{ : }" }
