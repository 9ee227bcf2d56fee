//! Recipes of a database for programs that it does not have.

mod common;

use common::{regions_agree, repository};
use farkas::database::{Keyed, Recipes, entry_of, insert, key_of};
use farkas::{Input, Optimized, Options, ReadOptions, Strategy, optimize, read};
use farkas_damage::{Random, damage_string, damage_text};
use farkas_db::{Compiler, Entry, Origin};
use farkas_interp::Params;
use farkas_normalize::distance;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// A product of matrices.
const GEMM: (&str, &str) = (
    "int n, int m, int p, double C[n][m], double A[n][p], double B[p][m]",
    "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { C[i][j] *= 0.5;
     for (int k = 0; k < p; k++) C[i][j] += A[i][k] * B[k][j]; }",
);

/// The same, written otherwise.
const GEMM_AGAIN: (&str, &str) = (
    "int rows, int inner, int cols, double X[rows][inner], double Y[inner][cols], double Z[rows][cols]",
    "for (int r = 1; r <= rows; r++) { for (int c = cols - 1; c >= 0; c--) Z[r - 1][c] *= .5e0; }
     for (int c = 0; c < cols; c++) for (int r = 0; r < rows; r++) for (int q = 0; q < inner; q++)
       { double t = X[r][q]; Z[r][c] += t * Y[q][c]; }",
);

/// A product of a matrix with its transpose, of which a triangle is computed.
const SYRK: (&str, &str) = (
    "int n, int m, double C[n][n], double A[n][m]",
    "for (int i = 0; i < n; i++) { for (int j = 0; j <= i; j++) C[i][j] *= 0.5;
     for (int k = 0; k < m; k++) for (int j = 0; j <= i; j++) C[i][j] += A[i][k] * A[j][k]; }",
);

/// A recipe for the product, by hand.
const RECIPE: &str = r#"{ "recipe": { "name": "mine", "steps": [
  { "step": "schedule", "strategy": "pluto" },
  { "step": "tile", "loop": "S1.1", "sizes": [48, 64, 96] },
  { "step": "mark", "loop": "S1.tile.1", "as": "parallel" },
  { "step": "interchange", "loops": ["S1.point.3", "S1.point.2"] } ] } }"#;

/// A function as a file.
fn program((parameters, body): (&str, &str)) -> Input {
    let text = format!("void f({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.c");
    std::fs::write(&path, &text).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{:?}", input.diagnostics);
    input
}

/// A compiler.
fn compiler() -> Compiler {
    Compiler { name: "gcc".into(), version: "14.2.0".into() }
}

/// The key of a program's only region.
fn keyed(input: &Input) -> Keyed {
    key_of(&input.regions[0], &Options::default(), &compiler()).expect("a key")
}

/// The entry of a program and a recipe of somebody's.
fn entry(of: (&str, &str), recipe: &str) -> Entry {
    let input = program(of);
    let region = &input.regions[0];
    entry_of(region, recipe, &Options::default(), &compiler(), Origin::Hand).expect("an entry")
}

/// A database of some entries.
struct Shelf {
    _folder: TempDir,
    path: PathBuf,
}

impl Shelf {
    /// One with these.
    fn of(entries: &[Entry]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("recipes.db");
        insert(Some(&path), entries).expect("inserted");
        Self { _folder: folder, path }
    }

    /// What `auto` makes of a program with it.
    fn used_for(&self, input: &Input) -> Optimized {
        let recipes = Some(Arc::new(Recipes::open(&self.path).expect("a database")));
        optimize(&input.regions[0], &Options { recipes, ..auto() }).expect("a form")
    }
}

/// Strategy `auto`.
fn auto() -> Options {
    Options { strategy: Strategy::Auto, ..Options::default() }
}

/// What is told of recipes of databases.
fn told(optimized: &Optimized) -> String {
    let learned = &optimized.ranking.as_ref().expect("a ranking").learned;
    learned.iter().map(|one| format!("{one:#}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn another_spelling_gets_the_recipe() {
    let (first, again) = (program(GEMM), program(GEMM_AGAIN));
    assert_eq!(keyed(&first), keyed(&again));
    let shelf = Shelf::of(&[entry(GEMM, RECIPE)]);
    for input in [&first, &again] {
        let optimized = shelf.used_for(input);
        assert_eq!(told(&optimized), "taken from f because its normal form is the same");
        let ranking = optimized.ranking.as_ref().expect("a ranking");
        assert!(ranking.forms.iter().any(|form| form.name == "taken from f"), "{ranking}");
        check(input, &optimized);
    }
}

/// What comes of a program is what the program computes.
fn check(input: &Input, optimized: &Optimized) {
    let region = &input.regions[0];
    regions_agree(region, optimized, &Params::all(&region.scop, 7)).expect("the same memory");
}

#[test]
fn a_nest_that_is_alike_gets_what_applies() {
    let input = program(SYRK);
    assert_ne!(keyed(&program(GEMM)), keyed(&input));
    let optimized = Shelf::of(&[entry(GEMM, RECIPE)]).used_for(&input);
    let told = told(&optimized);
    assert!(told.starts_with("taken from f (distance "), "{told}");
    assert!(told.contains("because it is the only nest there, other in "), "{told}");
    check(&input, &optimized);
}

/// A recurrence along rows, and one along columns and diagonals.
const ROWS: (&str, &str) = (
    "int n, double A[n][n], double B[n][n]",
    "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) A[i][j] = A[i][j - 1] + B[j][i];",
);
const DIAGONALS: (&str, &str) = (
    "int n, double A[n][n], double B[n][n]",
    "for (int i = 1; i < n; i++) for (int j = 1; j < n - 1; j++) A[i][j] = A[i - 1][j + 1] + B[j][i];",
);
/// One loop alone.
const ROW: (&str, &str) =
    ("int n, double A[n], double B[n]", "for (int j = 1; j < n; j++) A[j] = A[j - 1] + B[j];");

/// Steps that are legal for rows, from the order of the program on.
const FOR_ROWS: &str = r#"{ "recipe": { "steps": [
  { "step": "schedule", "strategy": "original" },
  { "step": "interchange", "loops": ["S0.2", "S0.1"] },
  { "step": "tile", "loop": "S0.1", "sizes": [8] } ] } }"#;

#[test]
fn steps_that_do_not_do_are_told_and_left_out() {
    let shelf = Shelf::of(&[entry(ROWS, FOR_ROWS)]);
    let illegal = "; step 2 (interchange) is illegal here";
    let inapplicable = "; step 2 (interchange) does not apply: ";
    for (of, expected) in [(DIAGONALS, illegal), (ROW, inapplicable)] {
        let input = program(of);
        let optimized = shelf.used_for(&input);
        let told = told(&optimized);
        assert!(told.contains(expected), "{told}");
        assert!(!told.contains("step 3"), "{told}");
        let ranking = optimized.ranking.as_ref().expect("a ranking");
        assert!(ranking.forms.iter().any(|form| form.name.starts_with("taken from")), "{ranking}");
        check(&input, &optimized);
    }
}

/// Nothing that a database says makes a result that the model finds slower, nor takes a form away.
#[test]
fn no_database_makes_a_program_slower() {
    let slow = r#"{ "recipe": { "steps": [
        { "step": "schedule", "strategy": "original" },
        { "step": "tile", "loop": "S0.1", "sizes": [1] } ] } }"#;
    let shelf = Shelf::of(&[entry(GEMM, slow), entry(ROWS, slow), entry(ROWS, FOR_ROWS)]);
    for of in [GEMM, GEMM_AGAIN, SYRK, ROWS, DIAGONALS, ROW] {
        let input = program(of);
        let (without, with) =
            (optimize(&input.regions[0], &auto()).expect("a form"), shelf.used_for(&input));
        let chosen = |optimized: &Optimized| {
            let ranking = optimized.ranking.as_ref().expect("a ranking");
            let chosen = ranking.forms.iter().find(|form| form.is_chosen).expect("a choice");
            (ranking.forms.len(), chosen.estimate.cycles())
        };
        let ((n_without, before), (n_with, after)) = (chosen(&without), chosen(&with));
        assert!(n_with >= n_without && after <= before, "{of:?}: {before} before, {after} after");
    }
}

#[test]
fn damaged_entries_change_no_result() {
    let input = program(SYRK);
    let expected = optimize(&input.regions[0], &auto()).expect("a form");
    let (whole, mut n_unused) = (entry(GEMM, RECIPE), 0);
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut damaged = whole.clone();
        match random.below(3) {
            0 => damaged.program = damage_text(&whole.program, 2, &mut random),
            1 => damaged.recipe = damage_text(&whole.recipe, 2, &mut random),
            _ => damaged.recipe = damage_string(&whole.recipe, 2, &mut random),
        }
        if damaged.check().is_err() {
            continue;
        }
        let optimized = Shelf::of(&[damaged]).used_for(&input);
        check(&input, &optimized);
        if told(&optimized).contains(" is not used: ") {
            n_unused += 1;
            assert_eq!(optimized.code, expected.code);
        }
    }
    assert!(n_unused > 5, "{n_unused}");
}

/// A strategy of somebody's is not loaded.
#[test]
fn strategies_of_the_users_are_refused() {
    let mut entry = entry(GEMM, RECIPE);
    entry.recipe = entry.recipe.replace("\"pluto\"", "\"./mine.so\"");
    let optimized = Shelf::of(&[entry]).used_for(&program(GEMM));
    let told = told(&optimized);
    assert!(told.contains("recipes of databases begin with no strategy `./mine.so`"), "{told}");
}

/// Kernels of several kinds.
const KERNELS: &[&str] = &[
    "2mm",
    "atax",
    "bicg",
    "conv2d",
    "doitgen",
    "floyd-warshall",
    "gemm",
    "gesummv",
    "jacobi-1d",
    "jacobi-2d",
    "lcs",
    "lu",
    "mvt",
    "seidel-2d",
    "symm",
    "syrk",
    "trisolv",
    "trmm",
];

/// A kernel with a change of its text.
fn kernel(name: &str, change: impl Fn(String) -> String) -> Input {
    let folder = repository().join("kernels");
    let text = std::fs::read_to_string(folder.join(format!("{name}.c"))).expect("a kernel");
    let own = tempfile::tempdir().expect("a folder");
    let path = own.path().join("kernel.c");
    std::fs::write(&path, change(text)).expect("written");
    let cpp_args = vec!["-I".to_owned(), folder.display().to_string()];
    let input = read(&path, &ReadOptions { cpp_args, ..ReadOptions::default() }).expect("readable");
    assert!(!input.has_errors() && !input.regions.is_empty(), "{name}: {:?}", input.diagnostics);
    input
}

#[test]
fn kernels_are_nearest_to_their_own_variants() {
    let own: Vec<Keyed> = KERNELS.iter().map(|name| keyed(&kernel(name, |text| text))).collect();
    for name in KERNELS {
        let variant = keyed(&kernel(name, |text| text.replace("double", "float")));
        let far = |at: usize| distance(&own[at].embedding.values, &variant.embedding.values);
        let nearest = (0..own.len()).min_by(|&a, &b| far(a).total_cmp(&far(b))).expect("kernels");
        assert_eq!(KERNELS[nearest], *name, "distance {}", far(nearest));
    }
    for (at, a) in own.iter().enumerate() {
        for b in &own[..at] {
            assert_ne!(a.key.nest, b.key.nest);
            assert!(distance(&a.embedding.values, &b.embedding.values) > 0.1);
        }
    }
}

/// What a temporary of the iteration keeps together, and the same with the temporary in front of the loop.
const TOGETHER: (&str, &str) = (
    "int n, double x[n], double y[n], double z[n]",
    "for (int i = 0; i < n; i++) { double t = x[i] * 2.0; y[i] = t + 1.0; z[i] = t * t; }",
);
const IN_PARTS: (&str, &str) = (
    "int m, double a[m], double b[m], double c[m]",
    "double t; for (int j = 0; j < m; j++) { t = 2.0 * a[j]; b[j] = 1.0 + t; c[j] = t * t; }",
);
/// One more of the kind, under other names.
const TOGETHER_AGAIN: (&str, &str) = (
    "int n, double w[n], double x[n], double y[n], double z[n]",
    "for (int i = 0; i < n; i++) w[i] = 0.0;
     for (int i = 0; i < n; i++) { double t = x[i] * 2.0; y[i] = t + 1.0; z[i] = t * t + w[i]; }",
);

/// A recipe for statements in parts.
const FOR_PARTS: &str = r#"{ "recipe": { "steps": [
  { "plan": "expand" },
  { "step": "schedule", "strategy": "original" },
  { "step": "tile", "loop": "S1.1", "sizes": [64] } ] } }"#;

/// A recipe that makes the parts.
const MAKES_PARTS: &str = r#"{ "recipe": { "steps": [
  { "step": "divide", "stmt": "S0" },
  { "plan": "expand" },
  { "step": "schedule", "strategy": "original" },
  { "step": "distribute", "loop": "S0_0.1", "groups": [["S0_0", "S0_1"], ["S0_2"]] },
  { "step": "tile", "loop": "S0_2.1", "sizes": [64] } ] } }"#;

#[test]
fn a_nest_that_can_be_divided_is_looked_up_in_parts_too() {
    let input = program(TOGETHER);
    assert_ne!(keyed(&program(IN_PARTS)), keyed(&input));
    let optimized = Shelf::of(&[entry(IN_PARTS, FOR_PARTS)]).used_for(&input);
    assert_eq!(told(&optimized), "taken from f because its normal form is the same");
    check(&input, &optimized);
}

#[test]
fn recipes_that_divide_statements_serve_others() {
    for (of, expected) in [(TOGETHER, "normal form is the same"), (TOGETHER_AGAIN, "distance")] {
        let input = program(of);
        let optimized = Shelf::of(&[entry(TOGETHER, MAKES_PARTS)]).used_for(&input);
        let told = told(&optimized);
        assert!(told.contains(expected), "{told}");
        // On the normal form the parts are in loops of their own already.
        assert!(!told.contains("; step "), "{told}");
        check(&input, &optimized);
    }
}
