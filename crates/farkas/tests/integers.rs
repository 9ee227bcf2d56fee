//! Generated code overflows nowhere that the original does not: loops near the ends of their types, compiled with gcc's sanitizer of
//! undefined behaviour, in several forms.

use farkas::TileSizes;
use farkas::{Options, ReadOptions, Strategy, read, splice};
use farkas::{Template, optimize};
use farkas_run::{Build, Compiler, Exit, RunOptions};
use std::path::{Path, PathBuf};

/// The file whose regions are transformed.
fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integers.c")
}

/// The file with every region transformed.
fn transformed(options: &Options) -> String {
    let input = read(&path(), &ReadOptions::default()).expect("C");
    assert!(!input.has_errors(), "{:?}", input.diagnostics);
    let optimized = input.regions.iter().map(|region| {
        let optimized = optimize(region, options).expect("code");
        assert!(optimized.session.warnings.is_empty(), "{:?}", optimized.session.warnings);
        (region.span, optimized.code)
    });
    let replacements: Vec<_> = optimized.collect();
    assert_eq!(replacements.len(), 10);
    splice(&input.source, &replacements)
}

/// What a program prints that stops where arithmetic is undefined.
fn output(text: &str) -> String {
    let compiler: Compiler =
        "gcc -O1 -fopenmp -Wall -Wextra -Wno-unknown-pragmas -Werror -fsanitize=undefined \
        -fno-sanitize-recover=undefined"
            .parse()
            .expect("a command line");
    let program = compiler.compile(&Build::text("integers.c", text)).expect("an executable");
    let output = program.run(&RunOptions::default()).expect("a run");
    assert_eq!(output.exit, Exit::Code(0), "{}\n{text}", output.stderr);
    output.stdout
}

/// The original and the result under a strategy print the same.
fn check(strategy: &str, tile: TileSizes) {
    let strategy = Strategy::from_name(strategy).expect("a strategy");
    let options = Options {
        strategy,
        template: Template::default().tiled(tile).tiled_for_reuse(false),
        ..Options::default()
    };
    let original = std::fs::read_to_string(path()).expect("a text");
    assert_eq!(output(&original), output(&transformed(&options)));
}

#[test]
fn tiled() {
    check("pluto", TileSizes::default_single());
}

#[test]
fn untiled() {
    check("pluto", TileSizes::none());
}

#[test]
fn in_the_original_order() {
    check("original", TileSizes::none());
}

#[test]
fn as_auto_chooses() {
    check("auto", TileSizes::auto());
}

/// Tile loops count in `long`, the user's loops in the user's type; what no type holds is a condition.
#[test]
fn types_of_counters() {
    let strategy = Strategy::from_name("pluto").expect("a strategy");
    let tile = TileSizes::default_single();
    let text = transformed(&Options {
        strategy,
        template: Template::default().tiled(tile).tiled_for_reuse(false),
        ..Options::default()
    });
    for part in [
        "for (long jt = ",
        "for (int j = farkas_max(m - 7, jt); j < farkas_min(m, jt + 32); j++)",
        "2L * T + n",
        "n <= 4611686018427387904",
        "for (int jt = 0; jt < 33; jt += 32)",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}
