//! Normal forms: one text for all ways of writing a computation, another one for each other computation.

mod common;

use common::normal::{kernel, kernels, kernels_but_exceptions, reading, region_of, reread, texts};
use common::{regions_agree, side_by_side, tries};
use farkas::{Input, Options, Strategy, normalizing, optimize, read, splice, whole_region};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_damage::Random;
use farkas_interp::Params;
use farkas_scop::Region;
use farkas_tree::NoThreads;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A function of these parameters as a file.
fn program(parameters: &str, body: &str) -> Input {
    let text = format!("#include <math.h>\nvoid f({parameters})\n{{\n{body}\n}}\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.c");
    std::fs::write(&path, &text).expect("written");
    let input = read(&path, &reading()).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{text}\n{:?}", input.diagnostics);
    input
}

/// A computation with what is given to it, and several ways to write it: parameters and body.
type Spellings = &'static [(&'static str, &'static str)];

/// Computations.
const COMPUTATIONS: &[(&str, Spellings)] = &[
    (
        "a product of matrices: loop order, fusion, names, operands, assignments",
        &[
            (
                "int n, int m, int p, double C[n][m], double A[n][p], double B[p][m]",
                "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { C[i][j] *= 0.5;
                 for (int k = 0; k < p; k++) C[i][j] += A[i][k] * B[k][j]; }",
            ),
            (
                "int n, int m, int p, double C[n][m], double A[n][p], double B[p][m]",
                "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) C[i][j] = 0.5 * C[i][j];
                 for (int k = 0; k < p; k++) for (int j = 0; j < m; j++) for (int i = 0; i < n; i++)
                   C[i][j] = B[k][j] * A[i][k] + C[i][j];",
            ),
            (
                "int rows, int inner, int cols, double X[rows][inner], double Y[inner][cols], double Z[rows][cols]",
                "for (int r = 1; r <= rows; r++) { for (int c = cols - 1; c >= 0; c--) Z[r - 1][c] *= .5e0;
                 for (int c = 0; c < cols; c++) for (int q = 0; q < inner; q++)
                   { double t = X[r - 1][q]; Z[r - 1][c] += t * Y[q][c]; } }",
            ),
            (
                "int n, int m, int p, double *C, double *A, double *B",
                "for (int i = 0; i < n; i++) { double *row = C + i * m; for (int j = 0; j < m; j++) row[j] *= 0.5; }
                 for (int i = 0; i < n; i++) for (int k = 0; k < p; k++) for (int j = 0; j < m; j++)
                   C[i * m + j] += A[i * p + k] * B[k * m + j];",
            ),
        ],
    ),
    (
        "a triangle: order of independent statements, temporaries, offsets",
        &[
            (
                "int n, double L[n][n], double x[n], double y[n], double z[n]",
                "for (int i = 0; i < n; i++) { double s = y[i]; for (int j = 0; j < i; j++) s -= L[i][j] * x[j];
                 x[i] = s / L[i][i]; } for (int i = 0; i < n; i++) z[i] = 0;",
            ),
            (
                "int n, double L[n][n], double x[n], double y[n], double z[n]",
                "double s; for (int k = 1; k <= n; k++) { z[k - 1] = 0; s = y[k - 1];
                 for (int j = 1; j < k; j++) s = s - x[j - 1] * L[k - 1][j - 1]; x[k - 1] = s / L[k - 1][k - 1]; }",
            ),
        ],
    ),
    (
        "a stencil: loop order in a sequence over time, conditions the other way round",
        &[
            (
                "int n, int t, float A[n][n], float B[n][n]",
                "for (int s = 0; s < t; s++) {
                   for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)
                     B[i][j] = A[i][j] > 0.0f ? A[i - 1][j] + A[i][j + 1] : 1.0f;
                   for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) A[i][j] = B[i][j]; }",
            ),
            (
                "int n, int t, float A[n][n], float B[n][n]",
                "for (int s = t; s > 0; s--) {
                   for (int j = 0; j < n - 2; j++) for (int i = 0; i < n - 2; i++)
                     B[i + 1][j + 1] = 0.0f < A[i + 1][j + 1] ? A[i + 1][j + 2] + A[i][j + 1] : 1.0f;
                   for (int j = n - 2; j >= 1; j--) for (int i = 1; i < n - 1; i++) A[i][j] = B[i][j]; }",
            ),
        ],
    ),
    (
        "sums of signed integers, which may not be in another order by themselves",
        &[
            (
                "int n, int s[1], int a[n], int b[n]",
                "for (int k = 0; k < n; k++) s[0] += k; for (int i = 0; i < n; i++) { s[0] += a[i]; s[0] += b[i]; }",
            ),
            (
                "int n, int s[1], int a[n], int b[n]",
                "for (int k = 0; k < n; k++) s[0] = k + s[0]; for (int i = 1; i <= n; i++) { s[0] += a[i - 1]; s[0] = s[0] + b[i - 1]; }",
            ),
        ],
    ),
    (
        "neighbours one of which holds a loop that never runs",
        &[
            (
                "int n, double a[n], double b[n]",
                "for (int i = 1; i < n; i++) { a[i] = b[i]; if (i < 0) for (int j = 0; j < n; j++) b[j] = 0; }
                 for (int i = 1; i < n; i++) { b[i] = a[i - 1]; if (i < 0) for (int j = 0; j < n; j++) a[j] = 0; }",
            ),
            (
                "int n, double a[n], double b[n]",
                "for (int i = 1; i < n; i++) a[i] = b[i]; for (int i = 1; i < n; i++) b[i] = a[i - 1];",
            ),
        ],
    ),
    (
        "a loop that comes apart around one that never runs",
        &[
            (
                "int n, double a[n], double b[n], double c[n]",
                "for (int i = 0; i < n; i++) { a[i] = c[i] / (1.5 + a[i]); for (int j = i + 1; j <= i; j++) b[j] = c[j - 1]; b[i] = a[i]; }",
            ),
            (
                "int n, double a[n], double b[n], double c[n]",
                "for (int i = 0; i < n; i++) a[i] = c[i] / (1.5 + a[i]); for (int i = 0; i < n; i++) b[i] = a[i];",
            ),
        ],
    ),
    (
        "a statement in pieces: a first iteration in front of its loop, a last one behind it, branches of a condition",
        &[
            (
                "int n, int m, double a[n][m], double b[n][m]",
                "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = b[i][j] + j;",
            ),
            (
                "int n, int m, double a[n][m], double b[n][m]",
                "if (m > 0) for (int i = 0; i < n; i++) a[i][0] = b[i][0] + 0;
                 for (int j = 1; j < m; j++) for (int i = 0; i < n; i++) a[i][j] = j + b[i][j];",
            ),
            (
                "int n, int m, double a[n][m], double b[n][m]",
                "for (int i = 0; i < n; i++) { for (int j = 0; j < m - 1; j++) if (i < j) a[i][j] = b[i][j] + j; else a[i][j] = b[i][j] + j;
                 if (m > 0) a[i][m - 1] = b[i][m - 1] + (m - 1); }",
            ),
        ],
    ),
    (
        "parts of a loop over time, one of them an iteration late",
        &[
            (
                "int n, int t, double a[n], double b[n]",
                "for (int s = 0; s < t; s++) { for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
                 for (int i = 1; i < n - 1; i++) a[i] = b[i] * 0.5; }",
            ),
            (
                "int n, int t, double a[n], double b[n]",
                "for (int s = 0; s <= t; s++) { if (s > 0) for (int i = 1; i < n - 1; i++) a[i] = b[i] * 0.5;
                 if (s < t) for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1]; }",
            ),
            (
                "int n, int t, double a[n], double b[n]",
                "if (t > 0) for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
                 for (int s = 1; s < t; s++) { for (int i = 1; i < n - 1; i++) a[i] = b[i] * 0.5;
                 for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1]; }
                 if (t > 0) for (int i = 1; i < n - 1; i++) a[i] = b[i] * 0.5;",
            ),
        ],
    ),
    (
        "two sums, either of which could live in what is made of them: order of statements",
        &[
            (
                "int n, double A[n][n], double B[n][n], double x[n]",
                "double s, t; for (int i = 0; i < n; i++) { s = 0; t = 0;
                 for (int j = 0; j < n; j++) { s += A[i][j]; t += B[i][j] * B[i][j]; } x[i] = s / t; }",
            ),
            (
                "int n, double A[n][n], double B[n][n], double x[n]",
                "double t, s; for (int i = 0; i < n; i++) { t = 0; s = 0;
                 for (int j = 0; j < n; j++) { t += B[i][j] * B[i][j]; s += A[i][j]; } x[i] = s / t; }",
            ),
        ],
    ),
    (
        "two such sums that only what else is read of their arrays tells apart",
        &[
            (
                "int n, double A[n][n], double B[n][n], double x[n]",
                "double s, t; for (int i = 0; i < n; i++) { s = 0; t = 0;
                 for (int j = 0; j < n; j++) { s += A[i][j]; t += B[i][j]; } x[i] = s + t; }
                 for (int i = 0; i < n; i++) x[i] += A[0][i];",
            ),
            (
                "int n, double A[n][n], double B[n][n], double x[n]",
                "double t, s; for (int i = 0; i < n; i++) { t = 0; s = 0;
                 for (int j = 0; j < n; j++) { t += B[i][j]; s += A[i][j]; } x[i] = t + s; }
                 for (int i = 0; i < n; i++) x[i] += A[0][i];",
            ),
        ],
    ),
    (
        "even rows and odd ones",
        &[
            (
                "int n, int m, double a[n][m], double b[n][m]",
                "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = b[i][j] + j;",
            ),
            (
                "int n, int m, double a[n][m], double b[n][m]",
                "for (int i = 0; i < n; i += 2) for (int j = 0; j < m; j++) a[i][j] = b[i][j] + j;
                 for (int j = 0; j < m; j++) for (int i = 1; i < n; i += 2) a[i][j] = b[i][j] + j;",
            ),
        ],
    ),
    (
        "every second element of a row, by a condition and by where the loop begins",
        &[
            (
                "int n, int t, double u[n][n]",
                "for (int s = 0; s < t; s++) for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)
                 if ((i + j) % 2 == 0) u[i][j] = 0.5 * (u[i - 1][j] + u[i][j + 1]);",
            ),
            (
                "int n, int t, double u[n][n]",
                "for (int s = 0; s < t; s++) for (int i = 1; i < n - 1; i++) for (int j = 1 + (i + 1) % 2; j < n - 1; j += 2)
                 u[i][j] = 0.5 * (u[i - 1][j] + u[i][j + 1]);",
            ),
        ],
    ),
    (
        "a temporary whose loop is longer for the sake of another statement",
        &[
            (
                "int n, int m, double a[m], double b[m], double x[m][n]",
                "double t; for (int i = 0; i < m; i++) { t = 0; for (int k = 0; k < n; k++) t += x[i][k]; a[i] = t; }
                 for (int i = 0; i < m; i++) b[i] *= 2;",
            ),
            (
                "int n, int m, double a[m], double b[m], double x[m][n]",
                "double t; for (int i = 0; i < m + 2; i++) { if (i < m) t = 0;
                 if (i < m) for (int k = 0; k < n; k++) t += x[i][k]; if (i < m) a[i] = t; if (i >= 2) b[i - 2] *= 2; }",
            ),
        ],
    ),
    (
        "loops of one iteration",
        &[
            (
                "int n, double a[n], double b[n][n]",
                "for (int i = 0; i < n; i++) a[i] = b[i][i];",
            ),
            (
                "int n, double a[n], double b[n][n]",
                "for (int i = 0; i < n; i++) for (int j = i; j < i + 1; j++) a[j] = b[i][j];",
            ),
        ],
    ),
    (
        "whole arrays one operation at a time, and all at once",
        &[
            (
                "int n, double a[n], double b[n], double c[n]",
                "for (int i = 0; i < n; i++) { double t = a[i] * b[i]; double u = t + a[i]; c[i] = u * u; }",
            ),
            (
                "int n, double a[n], double b[n], double c[n]",
                "for (int i = 0; i < n; i++) { double u = a[i] + b[i] * a[i]; c[i] = u * u; }",
            ),
        ],
    ),
];

#[test]
fn one_text_for_all_spellings() {
    for (what, spellings) in COMPUTATIONS {
        let all: Vec<_> = spellings.iter().map(|(p, body)| texts(&program(p, body), 0)).collect();
        for (found, (_, body)) in all.iter().zip(*spellings) {
            assert_eq!(found.0.join("\n"), all[0].0.join("\n"), "{what}: {body}");
            assert_eq!(found.1, all[0].1, "{what}: {body}");
        }
    }
}

/// A text and another one for its place.
type Change = (&'static str, &'static str);

/// Nests and what is replaced in each to make another computation of it.
const CHANGES: &[(&str, &str, &[Change])] = &[
    (
        "int n, int m, double A[n][m], double B[n][m], double x[m]",
        "for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) A[i][j] = A[i][j - 1] * x[j] + B[i][j] / 2.0 - x[0];",
        &[
            ("j - 1]", "j]"),
            ("A[i][j - 1]", "B[i][j - 1]"),
            ("A[i][j - 1] * x[j]", "A[i][j] * x[j - 1]"),
            ("j = 1", "j = 2"),
            ("j < m", "j < m - 1"),
            ("i < n", "i < m"),
            ("i < n", "i < n - 1"),
            ("/ 2.0", "* 2.0"),
            ("2.0", "2.5"),
            ("2.0", "2.0f"),
            ("x[0]", "x[1]"),
            ("x[0]", "x[j]"),
            ("- x[0]", "+ x[0]"),
            ("* x[j] + B[i][j] / 2.0", "* (x[j] + B[i][j] / 2.0)"),
            ("/ 2.0 - x[0]", "/ (2.0 - x[0])"),
            ("double x[m]", "float x[m]"),
            ("double A[n][m]", "double A[n][m + 1]"),
            ("A[i][j] = A[i][j - 1]", "A[i][j - 1] = A[i][j]"),
            ("B[i][j] / 2.0", "2.0 / B[i][j]"),
        ],
    ),
    (
        "int n, unsigned a[n], unsigned b[n], unsigned c[n]",
        "for (int i = 0; i < n; i++) { a[i] = b[i] << 3; c[i] = a[i] % 7u; }",
        &[
            ("<< 3", ">> 3"),
            ("<< 3", "<< 4"),
            ("a[i] % 7u", "b[i] % 7u"),
            ("% 7u", "/ 7u"),
            ("7u", "7ul"),
            ("unsigned b", "int b"),
            ("unsigned c", "unsigned char c"),
            ("i++", "i += 2"),
        ],
    ),
    (
        "int n, double a[n], double b[n]",
        "for (int t = 0; t < n; t++) { for (int i = 1; i < n; i++) a[i] = b[i - 1] + t; for (int i = 1; i < n; i++) b[i] = sqrt(a[i]); }",
        &[
            ("sqrt(a[i])", "exp(a[i])"),
            ("+ t", "+ n"),
            ("+ t", "+ i"),
            ("b[i - 1]", "b[i]"),
            ("b[i] = sqrt(a[i])", "b[i] = sqrt(a[i - 1])"),
            (
                "a[i] = b[i - 1] + t; for (int i = 1; i < n; i++) b[i] = sqrt(a[i]);",
                "b[i] = sqrt(a[i]); for (int i = 1; i < n; i++) a[i] = b[i - 1] + t;",
            ),
        ],
    ),
];

/// Parameters and body with one place changed.
fn changed(parameters: &str, body: &str, (from, to): Change) -> (String, String) {
    if parameters.contains(from) {
        return (parameters.replacen(from, to, 1), body.to_owned());
    }
    assert!(body.contains(from), "{from}");
    (parameters.to_owned(), body.replacen(from, to, 1))
}

#[test]
fn other_computations_have_other_texts() {
    for (parameters, body, changes) in CHANGES {
        let mut seen = BTreeSet::from([texts(&program(parameters, body), 0).1]);
        for change in *changes {
            let (parameters, body) = changed(parameters, body, *change);
            let text = texts(&program(&parameters, &body), 0).1;
            assert!(seen.insert(text.clone()), "{parameters}: {body}:\n{text}");
        }
    }
}

/// The sizes for which programs are run.
fn sizes(region: &Region) -> Params {
    let params = region.scop.params().iter().zip([5, 4, 6]);
    Params::new(params.map(|(param, value)| (param.name.clone(), value)))
}

#[test]
fn auto_from_the_normal_form_computes_the_same() {
    let options = Options { strategy: Strategy::Auto, normalize: true, ..Options::default() };
    for (what, spellings) in COMPUTATIONS {
        for (parameters, body) in *spellings {
            let input = program(parameters, body);
            let region = &input.regions[0];
            let optimized = optimize(region, &options).expect("code");
            let found = regions_agree(region, &optimized, &sizes(region));
            found.unwrap_or_else(|e| panic!("{what}: {body}: {e}"));
        }
    }
}

/// Spellings of which `auto` makes the same: loops in another order, that fall, and statements in pieces.
const SAME_SPEED: [[(&str, &str); 2]; 3] = [
    [COMPUTATIONS[0].1[0], COMPUTATIONS[0].1[1]],
    [
        (
            "int n, double A[n][n], double B[n][n], double C[n][n]",
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { C[i][j] = 0;
               for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }",
        ),
        (
            "int n, double A[n][n], double B[n][n], double C[n][n]",
            "for (int i = n - 1; i >= 0; i--) for (int j = n - 1; j >= 0; j--) { C[i][j] = 0;
               for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }",
        ),
    ],
    [
        (
            "int n, double A[n][n]",
            "for (int i = 1; i < n; i++) { for (int j = 0; j < i; j++) { for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
               A[i][j] /= A[j][j]; } for (int j = i; j < n; j++) for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j]; }",
        ),
        (
            "int n, double A[n][n]",
            "for (int i = 1; i < n; i++) { for (int j = 0; j < i; j++) { for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
               A[i][j] /= A[j][j]; }
               for (int j = n - 1; j >= i + 4; j--) for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
               for (int j = i; j < i + 4 && j < n; j++) for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j]; }",
        ),
    ],
];

#[test]
fn auto_takes_one_form_for_all_spellings() {
    let options = Options { strategy: Strategy::Auto, normalize: true, ..Options::default() };
    let chosen = |(parameters, body): &(&str, &str)| {
        let input = program(parameters, body);
        let optimized = optimize(&input.regions[0], &options).expect("code");
        let ranking = optimized.ranking.expect("a ranking");
        let form = ranking.forms.into_iter().find(|form| form.is_chosen).expect("a form");
        // Small differences are those of sums in another order.
        (form.name, (form.estimate.cycles() / 1e3).round())
    };
    for spellings in &SAME_SPEED {
        let all = spellings.each_ref().map(chosen);
        assert_eq!(all[0], all[1], "{}", spellings[1].1);
    }
}

/// A recipe of some steps that change nothing but how loops are written.
fn respelling(random: &mut Random, depths: &[(String, usize)]) -> Arc<RecipeFile> {
    let mut steps = Vec::new();
    for _ in 0..random.between(1, 4) {
        let (stmt, depth) = &depths[random.below(depths.len())];
        if *depth == 0 {
            continue;
        }
        let at = |random: &mut Random| format!("\"{stmt}.{}\"", 1 + random.below(*depth));
        let step = match random.below(5) {
            0 => {
                let mut loops = [at(random), at(random)];
                loops.sort_unstable();
                loops.reverse();
                format!("\"step\": \"interchange\", \"loops\": [{}]", loops.join(", "))
            }
            1 => format!("\"step\": \"reverse\", \"loop\": {}", at(random)),
            2 => format!("\"step\": \"distribute\", \"loop\": {}", at(random)),
            3 => {
                let other = &depths[random.below(depths.len())].0;
                format!("\"step\": \"fuse\", \"loops\": [\"{stmt}.1\", \"{other}.1\"]")
            }
            _ => {
                let by = random.between(-2, 3);
                format!("\"step\": \"shift\", \"loop\": {}, \"by\": \"{by}\"", at(random))
            }
        };
        steps.push(format!("{{{step}, \"optional\": true}}"));
    }
    let text = format!("{{\"recipe\": {{\"name\": \"r\", \"steps\": [{}]}}}}", steps.join(", "));
    Arc::new(RecipeFile::parse(Arc::new(SourceFile::new("r.json", text))).expect("a recipe"))
}

/// How many of `n` respellings of a kernel's region keep its text, and how many apply.
fn kept(name: &str, n: usize, seed: u64) -> (usize, usize) {
    let input = kernel(name);
    let at = region_of(&input, name);
    let region = &input.regions[at];
    let depths: Vec<(String, usize)> =
        region.scop.stmts().iter().map(|stmt| (stmt.name.clone(), stmt.depth())).collect();
    let base = texts(&input, at).0;
    let mut random = Random::new(seed);
    let (mut n_kept, mut n_applied) = (0, 0);
    for _ in 0..n {
        let options = Options { no_threads: Some(NoThreads::Asked), ..Options::default() };
        let recipe = respelling(&mut random, &depths);
        let options = options.with_recipe(recipe).expect("options");
        let Ok(optimized) = optimize(region, &options) else { continue };
        let text = splice(&input.source, &[(region.span, optimized.code)]);
        let again = reread(&text);
        n_applied += 1;
        n_kept += usize::from(texts(&again, region_of(&again, name)).0 == base);
    }
    (n_kept, n_applied)
}

/// Respells each kernel but the exceptions `n` times: how many respellings apply, and of which kernels some do not keep the text.
fn respell_kernels(n: usize, seed: u64) -> (usize, Vec<String>) {
    let names = kernels_but_exceptions();
    let all = side_by_side(&names, |_, name| kept(name, n, seed));
    let n_all = all.iter().map(|(_, n_applied)| n_applied).sum();
    let told = names.iter().zip(all).filter(|(_, (n_kept, n_applied))| n_kept < n_applied);
    (n_all, told.map(|(name, (kept, all))| format!("{name}: {kept} of {all}")).collect())
}

#[test]
fn kernels_keep_their_texts() {
    let (n_applied, told) = respell_kernels(1, 1);
    assert_eq!(told, Vec::<String>::new());
    assert!(n_applied > 20, "{n_applied} recipes applied");
}

#[test]
#[ignore = "long"]
fn recipes_keep_the_texts_of_kernels() {
    let n = tries(8, 100);
    let (n_applied, mut told) = respell_kernels(n, 100);
    // FIXME: 1 of 38, 11 of 98 and 8 of 50 recipes change the texts of these; why has not been looked at.
    let is_known = |text: &String| {
        ["attention", "camera-pipe", "trsml-off-diag"].iter().any(|k| text.starts_with(k))
    };
    told.retain(|text| !is_known(text));
    assert_eq!(told, Vec::<String>::new(), "{n_applied} recipes applied");
    assert!(n_applied > 20 * n, "{n_applied} recipes applied");
}

#[test]
fn no_two_kernels_have_one_text() {
    let mut seen = BTreeSet::new();
    for name in kernels() {
        let input = kernel(&name);
        for at in 0..input.regions.len() {
            if input.regions[at].function.starts_with("kernel_") {
                assert!(seen.insert(texts(&input, at).1), "{name}");
            }
        }
    }
}

#[test]
fn a_normal_form_computes_the_same_and_is_its_own() {
    let options = normalizing(Options::default()).expect("options");
    for (what, spellings) in COMPUTATIONS {
        let (parameters, body) = spellings[spellings.len() - 1];
        let input = program(parameters, body);
        let whole = whole_region(&input.regions[0]).expect("a region");
        let region = whole.as_ref().unwrap_or(&input.regions[0]);
        let optimized = optimize(region, &options).expect("a normal form");
        let found = regions_agree(region, &optimized, &sizes(region));
        found.unwrap_or_else(|e| panic!("{what}: {e}"));
        let text = splice(&input.source, &[(region.span, optimized.code)]);
        let again = reread(&text);
        assert_eq!(texts(&again, 0), texts(&input, 0), "{what}: {text}");
    }
}
