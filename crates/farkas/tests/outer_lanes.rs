//! Outer loops in vector lanes: which loops these are, that they compute the same at all sizes, and what keeps others as they are.

mod common;

use farkas::{Input, Optimized, Options, ReadOptions, optimize, read};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_interp::Params;
use std::sync::Arc;

/// A file with one region in a function of `n` and `m`, and of a variable `w` that has a value before.
fn file(region: &str) -> Input {
    let text = format!(
        "double a[64][64], b[64][64], x[64], y[64]; int at[64]; double fabs(double);\n\
         void g(int n, int m) {{\ndouble w = 3;\n#pragma scop\n{region}\n#pragma endscop\n}}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.c");
    std::fs::write(&path, &text).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{text}\n{:?}", input.diagnostics);
    input
}

/// The first region after the planner, and others behind it.
fn laid_out(input: &Input, size: u32) -> Optimized {
    let text = format!(
        r#"{{ "recipe": {{ "name": "mine", "steps": [ {{ "step": "schedule", "strategy": "original" }},
           {{ "plan": "outer-lanes", "size": {size} }}, {{ "plan": "parallel" }}, {{ "plan": "vectors" }} ] }} }}"#
    );
    let recipe = RecipeFile::parse(Arc::new(SourceFile::new("mine", text))).expect("a recipe");
    let options = Options::default().of_file(&input.source).with_recipe(Arc::new(recipe));
    optimize(&input.regions[0], &options.expect("options")).expect("a legal result")
}

/// Nests whose outer loop fits lanes, with how many arrays have cells and how many buffers are filled.
const FIT: [(&str, usize, usize); 10] = [
    // Both operands stay in their order; what lies across the lanes is used for each `j` again.
    (
        "for (int i = 0; i < n; i++) { double most = 0; int best = 0;
           for (int j = 0; j < m; j++) { double s = 0; for (int k = 0; k < n; k++) s += (a[i][k] - b[j][k]) * (a[i][k] - b[j][k]);
             if (s > most) { most = s; best = j; } }
           at[i] = best; }",
        3,
        1,
    ),
    // A variable of the innermost loop, which lives in an iteration of it.
    (
        "for (int i = 0; i < n; i++) { double u = 0;
           for (int j = 0; j < m; j++) { double s = 0; for (int k = 0; k < n; k++) { double d = a[i][k] - b[j][k]; s += d * fabs(d); }
             if (s > u) u = s; }
           y[i] = u; }",
        2,
        1,
    ),
    // Sums over neighbours, with lanes along the rows.
    (
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { double s = 0;
           for (int p = 0; p < 3; p++) for (int q = 0; q < 3; q++) s += b[p][q] * a[i + p][j + q]; y[j] += s; }",
        1,
        0,
    ),
    // A recurrence that goes on behind the loop, and updates in the loop's own order before and after.
    (
        "for (int i = 0; i < n; i++) { x[0] = 0.5 * x[0] + i; double r = 1;
           for (int k = 0; k < m; k++) r = 0.5 * r + b[k][i]; y[i % 3] = y[i % 3] * 0.5 + r; }",
        1,
        0,
    ),
    // Two different elements of one array lie across the lanes.
    (
        "for (int i = 0; i < n; i++) { double u = 0;
           for (int j = 0; j < m; j++) { double s = 1; for (int k = 0; k < m; k++) s = s * 0.5 + a[i][k] * a[i][k + 1]; u += s * x[j]; }
           y[i] = u; }",
        2,
        1,
    ),
    // A product of what is copied and what is written in the loop: it is computed each time.
    (
        "for (int i = 0; i < n; i++) { double u = 0;
           for (int j = 0; j < m; j++) { double s = 1; for (int k = 0; k < m; k++) s = s * 0.5 + a[i][k] * y[i + 1]; u += s; }
           y[i] = u; }",
        2,
        1,
    ),
    // Two loops that hand a value on, inside of one loop.
    (
        "for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) s += a[k][i];
           double v = 0; for (int k = 0; k < m; k++) v += (a[k][i] - s / m) * (a[k][i] - s / m); x[i] = s; y[i] = v; }",
        2,
        0,
    ),
    // Values of an iteration before, read by a part in front of it.
    (
        "for (int i = 1; i < n; i++) { double s = y[i]; for (int k = 0; k < m; k++) s += 0.5 * s + a[k][i]; x[i] = x[i - 1] + s; }",
        1,
        0,
    ),
    // Both branches of a condition set a variable.
    (
        "for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) s += a[k][i]; if (x[i] > 0) s = s * 2; else s = 1;
           y[i] = s; }",
        1,
        0,
    ),
    // What a variable holds before, nothing reads.
    (
        "for (int i = 0; i < n; i++) { w = 0; for (int k = 0; k < m; k++) w += a[k][i]; y[i] = w; }",
        1,
        0,
    ),
];

#[test]
fn lanes_keep_the_order_of_each_iteration() {
    for (region, n_cells, n_filled) in FIT {
        let input = file(region);
        for size in [4, 8] {
            let result = laid_out(&input, size);
            let cells = result.scop.arrays().iter().filter(|a| a.name.contains("_lanes")).count();
            let filled = result.scop.stmts().iter().filter(|s| s.name.contains("_pack")).count();
            assert_eq!((cells, filled), (n_cells, n_filled), "{region}\n{}", result.code);
            for (n, m) in [(0, 3), (1, 1), (7, 0), (8, 5), (21, 2)] {
                let params = Params::new([("n".to_owned(), n), ("m".to_owned(), m)]);
                common::regions_agree(&input.regions[0], &result, &params)
                    .unwrap_or_else(|e| panic!("{region} at {n}, {m}: {e}"));
            }
        }
    }
}

#[test]
fn other_loops_stay_as_they_are() {
    let others = [
        // No loop inside has values that go from one iteration to the next.
        "for (int i = 0; i < n; i++) { double t = x[i]; for (int k = 0; k < m; k++) a[k][i] = t * b[k][i]; }",
        // Each iteration goes on with what the one before left, inside of the loop.
        "double s = 0; for (int i = 0; i < n; i++) { double t = 0; for (int k = 0; k < m; k++) { t += a[k][i]; s = 0.5 * s + t; } y[i] = s; }",
        // What lies across the lanes is used once.
        "for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) s += a[i][k]; y[i] = s; }",
        // Or it is written in the loop.
        "for (int i = 0; i < n; i++) { double u = 0; for (int j = 0; j < m; j++) { double s = 0; for (int k = 0; k < m; k++) s += a[i][k]; u += s; a[i][j] = u; } }",
        // Lanes have loops of different lengths.
        "for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < i; k++) s += a[k][i]; y[i] = s; }",
        // Subscripts are data.
        "for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) s += x[at[i]] * a[k][i]; y[i] = s; }",
        // The first one reads what a variable holds before.
        "for (int i = 0; i < n; i++) { if (i < 1) y[i] = w; w = 0; for (int k = 0; k < m; k++) w += a[k][i]; x[i] = w; }",
        // What one iteration leaves, the next one begins with.
        "double s = 0; for (int i = 0; i < n; i++) { for (int k = 0; k < m; k++) s += a[k][i]; y[i] = s; }",
    ];
    for region in others {
        let result = laid_out(&file(region), 4);
        assert!(!result.code.contains("_lanes"), "{region}\n{}", result.code);
    }
}
