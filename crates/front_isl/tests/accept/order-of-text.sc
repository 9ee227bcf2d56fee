# Statements come in the order of the text, not of their names; not every dimension has a name.
domain: { Z[i, 0] : 0 <= i < 5; A[]; Z[3, j] : 2 <= j < 4; M[i, floor(i/2)] : 0 <= i < 4 }
