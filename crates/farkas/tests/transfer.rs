//! Recipes of a database for programs that it does not have.

mod common;

use common::regions_agree;
use farkas::database::{Keyed, Recipes, entry_of, insert, key_of};
use farkas::{Input, Optimized, Options, ReadOptions, Strategy, optimize, read};
use farkas_db::{Compiler, Entry, Origin};
use farkas_interp::Params;
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
  { "step": "interchange", "loops": ["S1.point.2", "S1.point.3"] } ] } }"#;

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
    let of = (&*input.source, &input.regions[0]);
    entry_of(of, recipe, &Options::default(), &compiler(), Origin::Hand).expect("an entry")
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
    optimized.ranking.as_ref().expect("a ranking").learned.join("\n")
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
        let region = &input.regions[0];
        regions_agree(region, &optimized, &Params::all(&region.scop, 7)).expect("the same memory");
    }
}

#[test]
fn a_nest_that_is_alike_gets_what_applies() {
    let input = program(SYRK);
    assert_ne!(keyed(&program(GEMM)), keyed(&input));
    let optimized = Shelf::of(&[entry(GEMM, RECIPE)]).used_for(&input);
    let told = told(&optimized);
    assert!(told.starts_with("taken from f (distance "), "{told}");
    eprintln!("{}", optimized.ranking.as_ref().expect("r"));
    assert!(told.contains("because it is among the nearest of 1 nests"), "{told}");
    let region = &input.regions[0];
    regions_agree(region, &optimized, &Params::all(&region.scop, 7)).expect("the same memory");
}
