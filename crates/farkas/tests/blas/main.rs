//! `--blas`: statements become calls, however their loops are written, and compute the same; what is nearly such a statement stays.
//!
//! Results are linked with a BLAS of our own, `cblas.c`, made from the definitions alone. All values are small whole numbers, or
//! halves of such, so that sums are the same in every order.

use farkas::{Options, ReadOptions, Strategy, blas_header, optimize, read, splice};
use farkas_deps::Verdict;
use farkas_deps::legality::{Clause, Fault, check_call};
use farkas_poly::{DimType, Map};
use farkas_run::{Build, Compiler, RunOptions};
use farkas_scop::blas::{Affine, Call, Factor, Scaling};
use farkas_scop::{Scop, Statement};
use farkas_transform::find_call;
use std::path::{Path, PathBuf};

/// What every program has around its region: arrays, sizes of several kinds, and what it prints.
const BEFORE: &str = r"#include <stdio.h>
#define MOST 24
static T A[MOST][MOST], B[MOST][MOST], C[MOST][MOST], D[3][MOST][MOST], E[3][MOST][MOST], F[3][MOST][MOST];
static T x[MOST], y[MOST], z[MOST], s[MOST];
static int value(int i, int j) { return (3 * i + 5 * j + i * j) % 4 - 1; }
static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        x[i] = value(i, 1); y[i] = value(2, i); z[i] = value(i, i); s[i] = 1 + i % 2;
        for (int j = 0; j < MOST; j++) {
            A[i][j] = i == j ? 1 << i % 2 : value(i, j); B[i][j] = value(j, i); C[i][j] = value(i + 1, j);
            for (int b = 0; b < 3; b++) {
                D[b][i][j] = value(i + b, j); E[b][i][j] = value(i, j + b); F[b][i][j] = value(j, i + b);
            }
        }
    }
}
static void kernel(int n, int m, int l, T alpha, T beta)
{
    (void)n; (void)m; (void)l; (void)alpha; (void)beta;
#pragma scop
";

/// What comes behind it.
const BEHIND: &str = r#"
#pragma endscop
}
static void print(T *a, int n) { for (int i = 0; i < n; i++) printf("%.17g ", (double)a[i]); printf("\n"); }
int main(void)
{
    int sizes[][3] = {{9, 7, 5}, {7, 9, 8}, {1, 1, 1}, {8, 8, 0}, {0, 3, 2}, {2, 0, 3}, {6, 6, 6}};
    for (int i = 0; i < 7; i++) {
        fill();
        kernel(sizes[i][0], sizes[i][1], sizes[i][2], 2, 3);
        print(&A[0][0], MOST * MOST); print(&B[0][0], MOST * MOST); print(&C[0][0], MOST * MOST);
        print(&D[0][0][0], 3 * MOST * MOST); print(x, MOST); print(y, MOST); print(z, MOST);
    }
    return 0;
}
"#;

/// A program with these statements in its region.
fn program(ty: &str, region: &str) -> String {
    format!("{BEFORE}{region}{BEHIND}")
        .replace("#define MOST 24\n", &format!("#define MOST 24\ntypedef {ty} T;\n"))
}

/// Where the BLAS of tests is.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blas")
}

/// A program with calls, what was said, and whether it has any.
fn with_calls(text: &str, options: &Options) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("a file");
    let input = read(&path, &ReadOptions::default()).expect("C");
    assert!(!input.has_errors(), "{:?}", input.diagnostics);
    let region = &input.regions[0];
    let optimized = optimize(region, options).expect("code");
    assert_eq!(optimized.session.diagnostics, []);
    let told: Vec<String> = optimized
        .remarks
        .iter()
        .filter(|remark| remark.pass == "blas")
        .map(|remark| format!("{} ({})", remark.text, remark.stmts.join(", ")))
        .collect();
    let mut replaced = vec![(region.span, optimized.code)];
    replaced.extend(blas_header(&input.source, &replaced));
    (splice(&input.source, &replaced), told.join("\n"))
}

/// What a program prints.
fn printed(text: &str) -> String {
    let compiler: Compiler =
        "gcc -O1 -fopenmp -Wall -Wextra -Werror -Wno-unknown-pragmas".parse().expect("a command");
    let include = format!("-I{}", self::folder().display());
    let library = folder().join("cblas.c").display().to_string();
    let build = Build::text("program.c", text).flags([include, library]);
    let program = compiler.compile(&build).unwrap_or_else(|error| panic!("{error}\n{text}"));
    program.run(&RunOptions::default().threads(2)).expect("it runs").stdout
}

/// The options of tests.
fn options(strategy: Strategy) -> Options {
    Options { blas: true, strategy, ..Options::default() }
}

/// The calls in a text, one a line.
fn calls(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| line.starts_with("cblas_")).collect()
}

/// Checks that a region becomes calls that begin like these, and computes the same.
fn check_of(ty: &str, region: &str, wanted: &[&str]) {
    let text = program(ty, region);
    let (result, told) = with_calls(&text, &options(Strategy::Pluto));
    let found = calls(&result);
    let is_right = found.len() == wanted.len()
        && found.iter().zip(wanted).all(|(found, wanted)| found.starts_with(wanted));
    assert!(is_right, "{region}\n{wanted:#?} wanted, found {found:#?}\n{told}");
    assert_eq!(printed(&result), printed(&text), "{region}\n{result}");
}

/// The same for numbers of type `double`.
fn check(region: &str, wanted: &[&str]) {
    check_of("double", region, wanted);
}

/// Checks that a region has no call of a routine, though what of it may be called computes the same; what was said.
fn check_without(routine: &str, region: &str) -> String {
    let text = program("double", region);
    let (result, told) = with_calls(&text, &options(Strategy::Pluto));
    let name = format!("cblas_d{routine}(");
    assert!(!calls(&result).iter().any(|call| call.starts_with(&name)), "{region}\n{result}");
    assert_eq!(printed(&result), printed(&text), "{region}\n{result}");
    told
}

#[test]
fn gemm() {
    let plain = "cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, ";
    check(
        "for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) C[i][j] *= beta;
            for (int k = 0; k < l; k++) for (int j = 0; j < m; j++) C[i][j] += alpha * A[i][k] * B[k][j];
        }",
        &[&format!("{plain}n, m, l > 0 ? l : 0, alpha, &A[0][0], 24, &B[0][0], 24, beta, &C[0][0], 24);")],
    );
    // Another order of loops, zeros first, no factor.
    check(
        "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) {
            C[i][j] = 0;
            for (int k = 0; k < l; k++) C[i][j] = C[i][j] + B[k][j] * A[i][k];
        }",
        &[&format!(
            "{plain}n, m, l > 0 ? l : 0, 1.0, &A[0][0], 24, &B[0][0], 24, 0.0, &C[0][0], 24);"
        )],
    );
    // Accumulated, taken away, in parts of matrices, backwards.
    check(
        "for (int k = l - 1; k >= 0; k--) for (int i = 1; i < n; i++) for (int j = 2; j < m; j++)
            C[i + 1][j] -= A[i][k + 3] * B[k][j - 2] * 3;",
        &[&format!("{plain}n - 1, m - 2, l, -3, &A[1][3], 24, &B[0][0], 24, 1.0, &C[2][2], 24);")],
    );
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++)
            C[i][j] += A[k][i] * B[j][k];",
        &["cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, n, m, l, 1.0"],
    );
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++)
            C[i][j] += A[i][k] * B[j][k];",
        &["cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, m, l, 1.0"],
    );
    check_of(
        "float",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++)
            C[i][j] += alpha * A[k][i] * B[k][j];",
        &["cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, m, l, alpha"],
    );
}

#[test]
fn batches() {
    check(
        "for (int b = 0; b < 3; b++) for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            D[b][i][j] *= s[b];
            for (int k = 0; k < l; k++) D[b][i][j] += s[b + 1] * E[b][i][k] * F[b][k][j];
        }",
        &[
            "cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, m, l, s[b + 1], &E[b][0][0], 24, &F[b][0][0], 24, 1.0, &D[b][0][0], 24);",
        ],
    );
    // One matrix for all, and the first dimension counts columns of nothing.
    check(
        "for (int i = 0; i < n; i++) for (int b = 0; b < 3; b++) for (int k = 0; k < l; k++) for (int j = 0; j < m; j++)
            D[b][i][j] += A[i][k] * F[b][k][j];",
        &["cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, m, l, 1.0, &A[0][0], 24, &F[b][0][0]"],
    );
}

#[test]
fn symmetric_updates() {
    check(
        "for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) C[i][j] *= beta;
            for (int k = 0; k < l; k++) for (int j = 0; j <= i; j++) C[i][j] += alpha * A[i][k] * A[j][k];
        }",
        &["cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, l > 0 ? l : 0, alpha, &A[0][0], 24, beta, &C[0][0], 24);"],
    );
    check(
        "for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) for (int k = 0; k < l; k++)
            C[i][j] += A[k][j] * A[k][i];",
        &["cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, l, 1.0, &A[0][0], 24, 1.0"],
    );
    check(
        "for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) C[i][j] *= beta;
            for (int k = 0; k < l; k++) for (int j = 0; j <= i; j++)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
        }",
        &["cblas_dsyr2k(CblasRowMajor, CblasLower, CblasNoTrans, n, l > 0 ? l : 0, alpha"],
    );
    // In two statements, upper, transposed.
    check(
        "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) for (int k = 0; k < l; k++) {
            C[i][j] += A[k][i] * B[k][j];
            C[i][j] += B[k][i] * A[k][j];
        }",
        &["cblas_dsyr2k(CblasRowMajor, CblasUpper, CblasTrans, n, l, 1.0"],
    );
}

#[test]
fn symmetric_operands() {
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            C[i][j] *= beta;
            for (int k = 0; k <= i; k++) C[i][j] += alpha * A[i][k] * B[k][j];
            for (int k = i + 1; k < n; k++) C[i][j] += alpha * A[k][i] * B[k][j];
        }",
        &[
            "cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, n, m, alpha, &A[0][0], 24, &B[0][0], 24, beta",
        ],
    );
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            for (int k = 0; k < j; k++) C[i][j] += A[k][j] * B[i][k];
            for (int k = j; k < m; k++) C[i][j] += A[j][k] * B[i][k];
        }",
        &["cblas_dsymm(CblasRowMajor, CblasRight, CblasUpper, n, m, 1.0"],
    );
    check(
        "for (int i = 0; i < n; i++) {
            for (int k = 0; k <= i; k++) y[i] += A[i][k] * x[k];
            for (int k = i + 1; k < n; k++) y[i] += A[k][i] * x[k];
        }",
        &["cblas_dsymv(CblasRowMajor, CblasLower, n, 1.0, &A[0][0], 24, &x[0], 1, 1.0, &y[0], 1);"],
    );
}

#[test]
fn triangular_products() {
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            for (int k = i + 1; k < n; k++) B[i][j] += A[k][i] * B[k][j];
            B[i][j] = alpha * B[i][j];
        }",
        &[
            "cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasUnit, n, m, alpha, &A[0][0], 24, &B[0][0], 24);",
        ],
    );
    // With a diagonal, from the last row upward.
    check(
        "for (int i = n - 1; i >= 0; i--) for (int j = 0; j < m; j++) {
            B[i][j] *= A[i][i];
            for (int k = 0; k < i; k++) B[i][j] += A[i][k] * B[k][j];
        }",
        &[
            "cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1.0",
        ],
    );
    // On the right.
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            B[i][j] *= A[j][j];
            for (int k = j + 1; k < m; k++) B[i][j] += B[i][k] * A[k][j];
        }",
        &[
            "cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1.0",
        ],
    );
    check(
        "for (int i = 0; i < n; i++) {
            x[i] *= A[i][i];
            for (int k = i + 1; k < n; k++) x[i] += A[i][k] * x[k];
        }",
        &[
            "cblas_dtrmv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, &A[0][0], 24, &x[0], 1);",
        ],
    );
}

#[test]
fn triangular_systems() {
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            for (int k = 0; k < i; k++) B[i][j] -= A[i][k] * B[k][j];
            B[i][j] /= A[i][i];
        }",
        &[
            "cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1.0, &A[0][0], 24, &B[0][0], 24);",
        ],
    );
    // A factor first, ones on the diagonal, from the last on, columns outside.
    check(
        "for (int j = 0; j < m; j++) {
            for (int i = 0; i < n; i++) B[i][j] *= alpha;
            for (int i = n - 1; i >= 0; i--)
                for (int k = i + 1; k < n; k++) B[i][j] -= A[k][i] * B[k][j];
        }",
        &["cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasUnit, n, m, alpha"],
    );
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            for (int k = 0; k < j; k++) B[i][j] -= B[i][k] * A[k][j];
            B[i][j] = B[i][j] / A[j][j];
        }",
        &[
            "cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, n, m, 1.0",
        ],
    );
    check(
        "for (int i = 0; i < n; i++) {
            x[i] = y[i];
            for (int k = 0; k < i; k++) x[i] -= A[i][k] * x[k];
            x[i] = x[i] / A[i][i];
        }",
        &[
            "cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, &A[0][0], 24, &x[0], 1);",
        ],
    );
    // By columns, as soon as a value is known.
    check(
        "for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) x[i] -= A[i][k] * x[k];",
        &[
            "cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasUnit, n, &A[0][0], 24, &x[0], 1);",
        ],
    );
}

#[test]
fn vectors() {
    check(
        "for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < m; j++) y[i] += A[i][j] * x[j];
        }",
        &[
            "cblas_dgemv(CblasRowMajor, CblasNoTrans, n, m > 0 ? m : 0, 1.0, &A[0][0], 24, &x[0], 1, 0.0, &y[0], 1);",
        ],
    );
    // Transposed, a column of a matrix.
    check(
        "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) y[j] += alpha * A[i][j] * B[i][2];",
        &[
            "cblas_dgemv(CblasRowMajor, CblasTrans, n, m, alpha, &A[0][0], 24, &B[0][2], 24, 1.0, &y[0], 1);",
        ],
    );
    check(
        "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) A[i][j] += x[i] * y[j];",
        &["cblas_dger(CblasRowMajor, n, m, 1.0, &x[0], 1, &y[0], 1, &A[0][0], 24);"],
    );
    check(
        "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) A[i][j] += alpha * x[i] * x[j];",
        &["cblas_dsyr(CblasRowMajor, CblasUpper, n, alpha, &x[0], 1, &A[0][0], 24);"],
    );
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) A[i][j] += x[i] * y[j] + y[i] * x[j];",
        &["cblas_dsyr2(CblasRowMajor, CblasLower, n, 1.0, &x[0], 1, &y[0], 1, &A[0][0], 24);"],
    );
}

/// Sums in a scalar that end up in an array are sums in the array.
#[test]
fn sums_in_scalars() {
    check(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            T sum = 0;
            for (int k = 0; k < l; k++) sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }",
        &[
            "cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, m, l > 0 ? l : 0, 1.0, &A[0][0], 24, &B[0][0], 24, 0.0",
        ],
    );
}

/// Everything around stays, and calls stand where what they take the place of did.
#[test]
fn others_stay() {
    check(
        "for (int i = 0; i < n; i++) {
            z[i] = 2 * x[i];
            for (int j = 0; j < m; j++) {
                C[i][j] = 0;
                for (int k = 0; k < l; k++) C[i][j] += A[i][k] * B[k][j];
                E[0][i][j] = C[i][j] + z[i];
            }
        }",
        &["cblas_dgemm("],
    );
    let text = program(
        "double",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) C[i][j] = A[i][j] + B[j][i];",
    );
    let with = |blas| with_calls(&text, &Options { blas, ..options(Strategy::Pluto) }).0;
    assert_eq!(with(true), with(false), "nothing is called");
}

/// Under `auto`, too: calls stay, whatever the sizes.
#[test]
fn auto_keeps_calls() {
    let text = program(
        "double",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            C[i][j] = 0;
            for (int k = 0; k < l; k++) C[i][j] += A[i][k] * B[k][j];
        }",
    );
    for strategy in [Strategy::Auto, Strategy::Original] {
        let (result, _) = with_calls(&text, &options(strategy));
        assert_eq!(calls(&result).len(), 1, "{result}");
        assert_eq!(printed(&result), printed(&text), "{result}");
    }
}

#[test]
fn near_misses_are_refused() {
    // A factor for each element; one for each row is one of a call for each row.
    check_without(
        "gemm",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++)
            C[i][j] += D[0][i][j] * A[i][k] * B[k][j];",
    );
    check_without(
        "gemm",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++)
            C[i][j] += z[i] * A[i][k] * B[k][j];",
    );
    // A band instead of a triangle.
    check_without(
        "syrk",
        "for (int i = 2; i < n; i++) for (int j = i - 2; j <= i; j++) for (int k = 0; k < l; k++)
            C[i][j] += A[i][k] * A[j][k];",
    );
    // A triangle instead of all, and all instead of a triangle.
    check_without(
        "gemm",
        "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < l; k++)
            C[i][j] += A[i][k] * B[k][j];",
    );
    check_without(
        "syrk",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < l; k++)
            C[i][j] += A[i][k] * A[j][k];",
    );
    // Of the new values where a product takes the old ones, and the other way round.
    let told = check_without(
        "trmm",
        "for (int i = 1; i < n; i++) for (int k = 0; k < i; k++) x[i] += A[i][k] * x[k];",
    );
    assert!(told.contains("no call of trmv"), "{told}");
    check_without(
        "trsv",
        "for (int i = n - 1; i >= 0; i--) for (int k = 0; k < i; k++) x[i] -= A[i][k] * x[k];",
    );
    // What is added is read meanwhile, or an operand written.
    check_without(
        "gemm",
        "for (int k = 0; k < l; k++) {
            for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) C[i][j] += A[i][k] * B[k][j];
            for (int j = 0; j < m; j++) B[k + 1][j] = C[0][j];
        }",
    );
    check_without(
        "gemm",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)
            C[i][j] += C[i][k] * B[k][j];",
    );
    // Rows that are not next to each other.
    check_without(
        "gemm",
        "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < l; k++)
            D[j][i][0] += A[i][k] * B[k][j];",
    );
    // Wider numbers than the elements.
    let text = program(
        "float",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++)
            C[i][j] += 0.1 * A[i][k] * B[k][j];",
    );
    assert_eq!(calls(&with_calls(&text, &options(Strategy::Pluto)).0), [""; 0]);
}

/// What is taken for granted is tested: that arrays do not overlap, and that `int` holds sizes.
#[test]
fn conditions_are_tested() {
    let text = r#"#include <stdio.h>
static double all[400];
void kernel(long n, double *C, double *A, double *B)
{
#pragma scop
    for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) for (long k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
#pragma endscop
}
int main(void)
{
    for (int shift = 0; shift < 200; shift += 13) {
        for (int i = 0; i < 400; i++) all[i] = i % 3 - 1;
        kernel(5, all, all + shift, all + 300);
        kernel(5, all + shift, all + 30, all + 30);
        for (int i = 0; i < 400; i++) printf("%g ", all[i]);
        printf("\n");
    }
    return 0;
}
"#;
    let (result, _) = with_calls(text, &options(Strategy::Pluto));
    assert_eq!(calls(&result).len(), 1, "{result}");
    assert!(result.contains("&A[0], n"), "{result}");
    assert!(result.contains("n <= 2147483647"), "{result}");
    assert!(result.contains("farkas_apart(&C[0"), "{result}");
    assert_eq!(printed(&result), printed(text), "{result}");
}

/// What is found in our kernels.
#[test]
fn kernels() {
    let names = [
        "2mm",
        "3mm",
        "atax",
        "bicg",
        "cholesky",
        "doitgen",
        "durbin",
        "gemm",
        "gemver",
        "gesummv",
        "gramschmidt",
        "linear-matmul",
        "lu",
        "ludcmp",
        "mvt",
        "symm",
        "syr2k",
        "syrk",
        "trinv",
        "trisolv",
        "trmm",
        "trsml-off-diag",
        "trsmu-transpose",
        "udu",
    ];
    let mut found = String::new();
    for name in names {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../kernels/{name}.c"));
        let input = read(&path, &ReadOptions::default()).expect("C");
        for region in &input.regions {
            let optimized = optimize(region, &options(Strategy::Pluto)).expect("code");
            found.push_str(&format!("{name}\n"));
            calls(&optimized.code).iter().for_each(|call| found.push_str(&format!("  {call}\n")));
            for remark in optimized.remarks.iter().filter(|remark| remark.pass == "blas") {
                if remark.text.starts_with("no call") {
                    found.push_str(&format!("  {} ({})\n", remark.text, remark.stmts.join(", ")));
                }
            }
        }
    }
    insta::assert_snapshot!("kernels", found);
}

/// Calls that differ in anything from what was found.
fn damaged(call: &Call) -> Vec<Call> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Call)| {
        let mut changed = call.clone();
        change(&mut changed);
        all.push(changed);
    };
    let routine = call.form.routine;
    if routine.has_triangle() {
        add(&|call| call.form.lower ^= true);
    }
    if routine.has_side() {
        add(&|call| call.form.right ^= true);
    }
    for at in 0..routine.n_transposed() {
        add(&|call| call.form.transposed[at] ^= true);
    }
    if routine.multiplies() || routine.solves() {
        add(&|call| call.form.unit ^= true);
    }
    for at in 0..call.sizes.len() {
        add(&|call| call.sizes[at] = call.sizes[at].plus(1, &Affine::number(1)));
        add(&|call| call.sizes[at] = call.sizes[at].plus(1, &Affine::number(-1)));
    }
    for at in 0..call.operands.len() {
        for dim in 0..call.operands[at].corner.len() {
            let one = Affine::number(1);
            add(&|call| {
                let corner = &mut call.operands[at].corner[dim];
                *corner = corner.plus(1, &one);
            });
        }
    }
    add(&|call| call.alpha.negative ^= true);
    add(&|call| call.alpha.factors.push(Factor::Text("2".to_owned())));
    add(&|call| {
        call.beta = match call.beta {
            Some(_) => None,
            None => Some(Scaling::default()),
        }
    });
    for at in 0..call.members.len() {
        add(&|call| {
            call.members.remove(at);
        });
    }
    all
}

/// The check believes nothing that a call says of itself.
#[test]
fn damaged_calls_are_refused() {
    let programs = [
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < l; k++) C[i][j] += alpha * A[i][k] * B[k][j];
        }",
        "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) {
            C[i][j] = 0;
            for (int k = 0; k < l; k++) C[i][j] += A[i][k] * A[j][k];
        }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            B[i][j] *= A[i][i];
            for (int k = i + 1; k < n; k++) B[i][j] += A[i][k] * B[k][j];
        }",
        "for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++) x[i] -= A[i][k] * x[k];
            x[i] /= A[i][i];
        }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] += x[i] * y[j];",
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    for region in programs {
        std::fs::write(&path, program("double", region)).expect("a file");
        let input = read(&path, &ReadOptions::default()).expect("C");
        let scop = &input.regions[0].scop;
        let called = find_call(scop, &mut Vec::new()).expect("isl answers").expect("a call");
        let check = |call: &Call| check_call(scop, &called.scop, call).expect("isl answers");
        assert!(check(&called.call).is_legal());
        for call in damaged(&called.call) {
            // In-place routines have no factor of what they update.
            let is_same = call.form == called.call.form
                && (call.form.routine.multiplies() || call.form.routine.solves())
                && call.beta != called.call.beta;
            assert!(is_same || !check(&call).is_legal(), "{region}\n{call:?}");
        }
    }
}

/// A scop in which a statement has been changed.
fn with(scop: &Scop, stmt: usize, change: impl FnOnce(&mut Statement)) -> Scop {
    let mut parts = scop.to_builder();
    let id = scop.stmts().iter_enumerated().nth(stmt).expect("a statement").0;
    change(&mut parts.stmts[id]);
    parts.build().expect("a scop")
}

/// Dates after those of all others.
fn last(stmt: &mut Statement) {
    let n = stmt.date.dim(DimType::Out).expect("isl answers");
    let dims = |first: &str| -> String {
        let others = (1..n).map(|at| format!(", d{at}")).collect::<String>();
        format!("[{first}{others}]")
    };
    let later: Map =
        format!("{{ {} -> {} }}", dims("d0"), dims("1000 + d0")).parse().expect("a map");
    stmt.date = stmt.date.apply_range(&later).expect("isl answers");
}

/// What is wrong with a call, where that is said of the program.
fn clause(original: &Scop, changed: &Scop, call: &Call) -> Option<Clause> {
    match check_call(original, changed, call).expect("isl answers") {
        Verdict::Illegal(found) => match found.fault {
            Fault::Program { clause, .. } => Some(clause),
            _ => None,
        },
        _ => None,
    }
}

/// Calls of programs that are others than those they were found in.
#[test]
fn calls_that_other_programs_do_not_have_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    let scop = |region: &str| {
        std::fs::write(&path, program("double", region)).expect("a file");
        read(&path, &ReadOptions::default()).expect("C").regions.remove(0).scop
    };
    let found =
        |scop: &Scop| find_call(scop, &mut Vec::new()).expect("isl answers").expect("a call");
    let gemm = |value: &str| {
        format!(
            "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {{ C[i][j] *= beta;
               for (int k = 0; k < l; k++) C[i][j] += {value}; }}"
        )
    };
    let product = scop(&gemm("A[i][k] * B[k][j]"));
    let called = found(&product);
    let judged = |original: &Scop, changed: &Scop| clause(original, changed, &called.call);
    assert_eq!(judged(&product, &called.scop), None);
    let quotient = scop(&gemm("A[i][k] / B[k][j]"));
    assert_eq!(judged(&quotient, &called.scop), Some(Clause::CallStatements));
    let late = with(&product, 0, last);
    assert_eq!(judged(&late, &called.scop), Some(Clause::CallBegins));
    let blind = with(&called.scop, 0, |stmt| {
        stmt.accesses =
            stmt.accesses.iter().filter(|access| access.kind.is_write()).cloned().collect();
    });
    assert_eq!(judged(&product, &blind), Some(Clause::CallAccesses));

    let solved = scop(
        "for (int i = 0; i < n; i++) { for (int k = 0; k < i; k++) x[i] -= A[i][k] * x[k];
           x[i] /= A[i][i]; }",
    );
    let called = found(&solved);
    let late = with(&solved, 1, last);
    assert_eq!(clause(&late, &called.scop, &called.call), Some(Clause::CallOperands));
}
