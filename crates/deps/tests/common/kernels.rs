//! Well-known kernels in the text form of [`super::scop`].

/// C = beta C + alpha A B.
pub(crate) const GEMM: &str = "
    params ni, nj, nk : ni >= 1 and nj >= 1 and nk >= 1
    S[i, j] : 0 <= i < ni and 0 <= j < nj @ i, 0, j, 0 : r C[i, j], r beta[], w C[i, j]
    T[i, k, j] : 0 <= i < ni and 0 <= k < nk and 0 <= j < nj @ i, 1, k, j : r C[i, j], r alpha[], r A[i, k], r B[k, j], w C[i, j]";

/// D = alpha A B C + beta D.
pub(crate) const TWO_MM: &str = "
    params ni, nj, nk, nl : ni >= 1 and nj >= 1 and nk >= 1 and nl >= 1
    S0[i, j] : 0 <= i < ni and 0 <= j < nj @ 0, i, j, 0, 0 : w tmp[i, j]
    S1[i, j, k] : 0 <= i < ni and 0 <= j < nj and 0 <= k < nk @ 0, i, j, 1, k : r tmp[i, j], r alpha[], r A[i, k], r B[k, j], w tmp[i, j]
    S2[i, j] : 0 <= i < ni and 0 <= j < nl @ 1, i, j, 0, 0 : r D[i, j], r beta[], w D[i, j]
    S3[i, j, k] : 0 <= i < ni and 0 <= j < nl and 0 <= k < nj @ 1, i, j, 1, k : r D[i, j], r tmp[i, k], r C[k, j], w D[i, j]";

/// In-place LU decomposition.
pub(crate) const LU: &str = "
    params n : n >= 1
    S[i, j, k] : 0 <= i < n and 0 <= j < i and 0 <= k < j @ i, 0, j, 0, k : r A[i, j], r A[i, k], r A[k, j], w A[i, j]
    T[i, j] : 0 <= i < n and 0 <= j < i @ i, 0, j, 1, 0 : r A[i, j], r A[j, j], w A[i, j]
    U[i, j, k] : 0 <= i < n and i <= j < n and 0 <= k < i @ i, 1, j, 0, k : r A[i, j], r A[i, k], r A[k, j], w A[i, j]";

/// Gauss-Seidel sweeps.
pub(crate) const SEIDEL_2D: &str = "
    params tsteps, n : tsteps >= 1 and n >= 3
    S[t, i, j] : 0 <= t < tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 @ t, i, j : r A[i - 1, j - 1], r A[i - 1, j], r A[i - 1, j + 1], r A[i, j - 1], r A[i, j], r A[i, j + 1], r A[i + 1, j - 1], r A[i + 1, j], r A[i + 1, j + 1], w A[i, j]";

/// Jacobi sweeps in two dimensions.
pub(crate) const JACOBI_2D: &str = "
    params tsteps, n : tsteps >= 1 and n >= 3
    S[t, i, j] : 0 <= t < tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 @ t, 0, i, j : r A[i, j], r A[i, j - 1], r A[i, j + 1], r A[i + 1, j], r A[i - 1, j], w B[i, j]
    T[t, i, j] : 0 <= t < tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 @ t, 1, i, j : r B[i, j], r B[i, j - 1], r B[i, j + 1], r B[i + 1, j], r B[i - 1, j], w A[i, j]";

/// The heat equation in three dimensions.
pub(crate) const HEAT_3D: &str = "
    params tsteps, n : tsteps >= 1 and n >= 3
    S[t, i, j, k] : 1 <= t <= tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 and 1 <= k < n - 1 @ t, 0, i, j, k : r A[i + 1, j, k], r A[i, j, k], r A[i - 1, j, k], r A[i, j + 1, k], r A[i, j, k], r A[i, j - 1, k], r A[i, j, k + 1], r A[i, j, k], r A[i, j, k - 1], r A[i, j, k], w B[i, j, k]
    T[t, i, j, k] : 1 <= t <= tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 and 1 <= k < n - 1 @ t, 1, i, j, k : r B[i + 1, j, k], r B[i, j, k], r B[i - 1, j, k], r B[i, j + 1, k], r B[i, j, k], r B[i, j - 1, k], r B[i, j, k + 1], r B[i, j, k], r B[i, j, k - 1], r B[i, j, k], w A[i, j, k]";

/// Alternating directions: scalars, recurrences in both directions, many sweeps in one time step.
pub(crate) const ADI: &str = "
    params tsteps, n : tsteps >= 1 and n >= 3
    S0[t, i] : 1 <= t <= tsteps and 1 <= i < n - 1 @ t, 0, i, 0, 0, 0 : w v[0, i]
    S1[t, i] : 1 <= t <= tsteps and 1 <= i < n - 1 @ t, 0, i, 1, 0, 0 : w p[i, 0]
    S2[t, i] : 1 <= t <= tsteps and 1 <= i < n - 1 @ t, 0, i, 2, 0, 0 : w q[i, 0], r v[0, i]
    S3[t, i, j] : 1 <= t <= tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 @ t, 0, i, 3, j, 0 : r c[], r a[], r b[], r p[i, j - 1], w p[i, j]
    S4[t, i, j] : 1 <= t <= tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 @ t, 0, i, 3, j, 1 : r d[], r u[j, i - 1], r u[j, i], r u[j, i + 1], r f[], r a[], r q[i, j - 1], r b[], r p[i, j - 1], w q[i, j]
    S5[t, i] : 1 <= t <= tsteps and 1 <= i < n - 1 @ t, 0, i, 4, 0, 0 : w v[n - 1, i]
    S6[t, i, j] : 1 <= t <= tsteps and 1 <= i < n - 1 and 2 - n <= j <= -1 @ t, 0, i, 5, j, 0 : r p[i, -j], r v[-j + 1, i], r q[i, -j], w v[-j, i]
    S7[t, i] : 1 <= t <= tsteps and 1 <= i < n - 1 @ t, 1, i, 0, 0, 0 : w u[i, 0]
    S8[t, i] : 1 <= t <= tsteps and 1 <= i < n - 1 @ t, 1, i, 1, 0, 0 : w p[i, 0]
    S9[t, i] : 1 <= t <= tsteps and 1 <= i < n - 1 @ t, 1, i, 2, 0, 0 : w q[i, 0], r u[i, 0]
    S10[t, i, j] : 1 <= t <= tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 @ t, 1, i, 3, j, 0 : r f[], r d[], r e[], r p[i, j - 1], w p[i, j]
    S11[t, i, j] : 1 <= t <= tsteps and 1 <= i < n - 1 and 1 <= j < n - 1 @ t, 1, i, 3, j, 1 : r a[], r v[i - 1, j], r v[i, j], r v[i + 1, j], r c[], r d[], r q[i, j - 1], r e[], r p[i, j - 1], w q[i, j]
    S12[t, i] : 1 <= t <= tsteps and 1 <= i < n - 1 @ t, 1, i, 4, 0, 0 : w u[i, n - 1]
    S13[t, i, j] : 1 <= t <= tsteps and 1 <= i < n - 1 and 2 - n <= j <= -1 @ t, 1, i, 5, j, 0 : r p[i, -j], r u[i, -j + 1], r q[i, -j], w u[i, -j]";

/// All of them.
pub(crate) const ALL: [(&str, &str); 7] = [
    ("gemm", GEMM),
    ("2mm", TWO_MM),
    ("lu", LU),
    ("seidel-2d", SEIDEL_2D),
    ("jacobi-2d", JACOBI_2D),
    ("heat-3d", HEAT_3D),
    ("adi", ADI),
];

/// A ring of `n` one-dimensional stencils under a time loop, each of three points.
pub(crate) fn ring(n: usize) -> String {
    let mut text = String::from("params steps, n : steps >= 1 and n >= 3\n");
    for s in 0..n {
        let from = (s + n - 1) % n;
        text.push_str(&format!(
            "S{s}[t, i] : 0 <= t < steps and 1 <= i < n - 1 @ t, {s}, i : r A{from}[i - 1], r A{from}[i], r A{from}[i + 1], w A{s}[i]\n"
        ));
    }
    text
}
