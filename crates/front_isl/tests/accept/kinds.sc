# All kinds; tags tell apart which access a pair is about.
domain: { W[i] : 0 <= i < 9; R[i] : 0 <= i < 9 }
validity: { R[i] -> W[i + 3] }
coincidence: { W[i] -> R[i] }
condition: { [W[i] -> a[]] -> [R[i] -> b[]] }
conditional_validity: { [R[i] -> b[]] -> [W[i'] -> a[]] : i' > i }
proximity: { W[i] -> R[i] }
