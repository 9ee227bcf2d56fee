//! Strategy `auto` takes the form that the machine model finds fastest, among them the original, and does as it is told.

mod common;

use common::repository;
use farkas::pipeline::{Optimized, optimize};
use farkas::{Options, Ranking, ReadOptions, Strategy, read};
use farkas_machine::Machine;
use farkas_scop::ArrayScope;
use farkas_transform::TileSizes;

/// The options of `farkas opt` on a machine that is always the same.
fn auto() -> Options {
    Options { strategy: Strategy::Auto, machine: Machine::generic(), ..Options::default() }
}

/// The first region of a program of `kernels/`, optimised.
fn kernel(name: &str, options: &Options) -> Optimized {
    let path = repository().join("kernels").join(format!("{name}.c"));
    let input = read(&path, &ReadOptions::default()).expect("a readable file");
    optimize(&input.regions[0], options).expect("code")
}

/// The first region of a text, optimised.
fn text(text: &str, options: &Options) -> Optimized {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.c");
    std::fs::write(&path, text).expect("a file");
    let input = read(&path, &ReadOptions::default()).expect("a readable file");
    optimize(&input.regions[0], options).expect("code")
}

fn ranking(optimized: &Optimized) -> &Ranking {
    optimized.ranking.as_ref().expect("a ranking")
}

/// The form that is emitted.
fn chosen(optimized: &Optimized) -> &str {
    let chosen: Vec<&str> =
        ranking(optimized).forms.iter().filter(|f| f.is_chosen).map(|f| f.name.as_str()).collect();
    assert_eq!(chosen.len(), 1, "{chosen:?}");
    chosen[0]
}

#[test]
fn the_cheapest_form_is_emitted_and_the_original_is_one_of_them() {
    for name in ["gemm", "jacobi-2d", "atax", "lu", "trisolv", "floyd-warshall"] {
        let optimized = kernel(name, &auto());
        let forms = &ranking(&optimized).forms;
        let cycles: Vec<f64> = forms.iter().map(|form| form.estimate.cycles()).collect();
        assert!(cycles.is_sorted() && forms.len() > 2, "{name}: {cycles:?}");
        assert!(forms[0].is_chosen, "{name}: {}", ranking(&optimized));
        assert!(forms.iter().any(|form| form.name == "original"), "{name}");
        assert_eq!(ranking(&kernel(name, &auto())), ranking(&optimized), "{name}: another time");
    }
}

#[test]
fn products_are_packed() {
    let optimized = kernel("gemm", &auto());
    assert_eq!(chosen(&optimized), "pluto, tiles by model");
    assert!(optimized.scop.arrays().iter().any(|a| a.scope == ArrayScope::Buffer));
}

#[test]
fn what_is_small_stays_as_it_is() {
    let small = "double A[6][6]; void f(void) {\n#pragma scop\nfor (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) A[i][j] = 2 * A[i][j];\n#pragma endscop\n}\n";
    let optimized = text(small, &auto());
    assert_eq!(chosen(&optimized), "original");
    assert!(!optimized.code.contains("#pragma omp"), "{}", optimized.code);
    let large = small.replace('6', "3000");
    assert!(text(&large, &auto()).code.contains("#pragma omp parallel for"));
}

#[test]
fn what_the_user_says_counts() {
    let untiled = Options { tile: TileSizes::none(), ..auto() };
    let sizes = TileSizes::new(vec![vec![7, 9, 11]]).expect("positive sizes");
    let sized = Options { tile: sizes, tile_for_reuse: false, ..auto() };
    let optimized = kernel("lu", &untiled);
    assert!(ranking(&optimized).forms.iter().all(|form| !form.name.contains("of 32")));
    assert!(!optimized.code.contains("it +="), "{}", optimized.code);
    let code = kernel("lu", &sized).code;
    assert!(["+= 7)", "+= 9)", "+= 11)"].iter().any(|step| code.contains(step)), "{code}");
}
