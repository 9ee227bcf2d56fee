//! Known kernels: their schedules are legal, their parallel and permutable claims hold, and they are those that the
//! field knows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::kernels;
use farkas_schedule::{FusionHeuristic, Pluto, ScheduleOptions, Scheduled};
use support::{check, outline};

/// The schedule under `pluto`; legality and all claims are checked.
fn pluto(text: &str, fusion: FusionHeuristic) -> Scheduled {
    check(&common::scop(text), &mut Pluto::new(fusion), &ScheduleOptions::default())
}

/// Schedule, fusion decisions and warnings as text.
fn golden(text: &str, fusion: FusionHeuristic) -> String {
    outline(&pluto(text, fusion))
}

macro_rules! goldens {
    ($($name:ident: $text:expr, $fusion:ident;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(golden($text, FusionHeuristic::$fusion));
        }
    )*};
}

/// One of the two products of mvt.
const MVT: &str = "
    params n : n >= 1
    S[i, j] : 0 <= i < n and 0 <= j < n @ 0, i, j : r x1[i], r A[i, j], r y1[j], w x1[i]
    T[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j : r x2[i], r A[j, i], r y2[j], w x2[i]";

/// Finite differences in the time domain, two dimensions.
const FDTD_2D: &str = "
    params tmax, nx, ny : tmax >= 1 and nx >= 2 and ny >= 2
    S0[t, j] : 0 <= t < tmax and 0 <= j < ny @ t, 0, j, 0 : r fict[t], w ey[0, j]
    S1[t, i, j] : 0 <= t < tmax and 1 <= i < nx and 0 <= j < ny @ t, 1, i, j : r ey[i, j], r hz[i, j], r hz[i - 1, j], w ey[i, j]
    S2[t, i, j] : 0 <= t < tmax and 0 <= i < nx and 1 <= j < ny @ t, 2, i, j : r ex[i, j], r hz[i, j], r hz[i, j - 1], w ex[i, j]
    S3[t, i, j] : 0 <= t < tmax and 0 <= i < nx - 1 and 0 <= j < ny - 1 @ t, 3, i, j : r hz[i, j], r ex[i, j + 1], r ex[i, j], r ey[i + 1, j], r ey[i, j], w hz[i, j]";

/// One-dimensional Jacobi sweeps over two arrays.
const JACOBI_1D: &str = "
    params tsteps, n : tsteps >= 1 and n >= 3
    S[t, i] : 0 <= t < tsteps and 1 <= i < n - 1 @ t, 0, i : r A[i - 1], r A[i], r A[i + 1], w B[i]
    T[t, i] : 0 <= t < tsteps and 1 <= i < n - 1 @ t, 1, i : r B[i - 1], r B[i], r B[i + 1], w A[i]";

/// An array added to another, and the result scaled.
const POINTWISE: &str = "
    params n, m : n >= 1 and m >= 1
    S[i, j] : 0 <= i < n and 0 <= j < m @ 0, i, j : r A[i, j], r B[i, j], w C[i, j]
    T[i, j] : 0 <= i < n and 0 <= j < m @ 1, i, j : r C[i, j], w D[i, j]
    U[j, i] : 0 <= i < n and 0 <= j < m @ 2, j, i : r D[i, j], w E[i, j]";

/// A stencil of a stencil: fusing needs a shift and costs parallelism.
const BLUR_1D: &str = "
    params n : n >= 3
    S[i] : 0 <= i < n @ 0, i : r A[i], w B[i]
    T[i] : 1 <= i < n - 1 @ 1, i : r B[i - 1], r B[i], r B[i + 1], w C[i]";

/// Gemver's transposed producer and consumer.
const GEMVER: &str = "
    params n : n >= 1
    S0[i, j] : 0 <= i < n and 0 <= j < n @ 0, i, j : r A[i, j], r u1[i], r v1[j], r u2[i], r v2[j], w A[i, j]
    S1[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j : r x[i], r A[j, i], r y[j], w x[i]
    S2[i] : 0 <= i < n @ 2, i, 0 : r x[i], r z[i], w x[i]
    S3[i, j] : 0 <= i < n and 0 <= j < n @ 3, i, j : r w[i], r A[i, j], r x[j], w w[i]";

/// A scalar between two loops.
const SCALAR: &str = "
    params n : n >= 1
    S[] : true @ 0, 0, 0 : w s[]
    T[i] : 0 <= i < n @ 1, i, 0 : r s[], r A[i], w s[]
    U[] : true @ 2, 0, 0 : r s[], w t[]";

/// A loop whose second statement needs what the first wrote in reverse order.
const REVERSED: &str = "
    params n : n >= 1
    S[i] : 0 <= i < n @ 0, i : w A[i]
    T[i] : 0 <= i < n @ 1, i : r A[n - 1 - i], w B[i]";

goldens! {
    gemm: kernels::GEMM, Smart;
    gemm_max: kernels::GEMM, Max;
    gemm_no: kernels::GEMM, No;
    two_mm: kernels::TWO_MM, Smart;
    two_mm_max: kernels::TWO_MM, Max;
    lu: kernels::LU, Smart;
    seidel_2d: kernels::SEIDEL_2D, Smart;
    jacobi_1d: JACOBI_1D, Smart;
    jacobi_2d: kernels::JACOBI_2D, Smart;
    heat_3d: kernels::HEAT_3D, Smart;
    fdtd_2d: FDTD_2D, Smart;
    adi: kernels::ADI, Smart;
    mvt: MVT, Smart;
    mvt_max: MVT, Max;
    pointwise: POINTWISE, Smart;
    pointwise_no: POINTWISE, No;
    blur_1d: BLUR_1D, Smart;
    blur_1d_max: BLUR_1D, Max;
    gemver: GEMVER, Smart;
    scalar: SCALAR, Smart;
    scalar_max: SCALAR, Max;
    gemm_cluster: kernels::GEMM, Cluster;
    two_mm_cluster: kernels::TWO_MM, Cluster;
    lu_cluster: kernels::LU, Cluster;
    fdtd_2d_cluster: FDTD_2D, Cluster;
    pointwise_cluster: POINTWISE, Cluster;
    gemver_cluster: GEMVER, Cluster;
    scalar_cluster: SCALAR, Cluster;
    reversed: REVERSED, Smart;
    reversed_max: REVERSED, Max;
}
