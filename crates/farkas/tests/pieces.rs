//! A region that stays as it is as a whole is worked on in its parts.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use farkas::{
    Input, Options, Piece, ReadOptions, Stays, Strategy, leave_out, pieces, read, splice,
};
use farkas_machine::Machine;
use farkas_run::{Build, Compiler, RunOptions};
use std::path::Path;

/// A recurrence that takes nearly all of the time, and around it a copy and a product that gain, beside a loop without parts.
const PROGRAM: &str = "
#include <stdio.h>
enum { N = 300 };
static double A[N][N], B[N][N], C[N][N];
static double series(double x)
{
    int i, j;
    for (i = 0; i < 3000 * N; i++)
        for (j = 0; j < N; j++)
            x = x * 0.5 + j;
    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++)
            A[i][j] = i + j * 0.25;
        for (j = 0; j < N; j++)
            B[j][i] = i - j;
    }
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                C[i][j] += A[i][k] * B[k][j];
    return x;
}
int main(void)
{
    printf(\"%f %f %f\\n\", series(1), C[3][4], C[N - 1][N - 2]);
    return 0;
}
";

/// The options of `farkas opt` on a machine that is always the same.
fn auto() -> Options {
    Options { strategy: Strategy::Auto, machine: Machine::generic(), ..Options::default() }
}

/// A text as a file whose regions are looked for.
fn found(text: &str, folder: &Path) -> Input {
    let path = folder.join("f.c");
    std::fs::write(&path, text).expect("a file");
    let mut options = ReadOptions::default();
    options.front.auto = true;
    read(&path, &options).expect("a readable file")
}

/// The pieces of the only region.
fn pieces_of(input: &Input, options: &Options) -> Vec<Piece> {
    assert_eq!(input.regions.len(), 1, "{:?}", input.diagnostics);
    pieces(input.reading.as_ref(), &input.regions[0], options)
}

/// Their names with what became of them.
fn outcomes(pieces: &[Piece]) -> Vec<(&str, Option<Stays>, bool)> {
    let outcome = |piece: &Piece| piece.result.as_ref().expect("a result").stays;
    pieces.iter().map(|p| (p.region.scop.name(), outcome(p), p.is_split)).collect()
}

#[test]
fn what_gains_too_little_as_a_whole_gains_in_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = found(PROGRAM, folder.path());
    let pieces = pieces_of(&input, &auto());
    let outcomes = outcomes(&pieces);
    let stays = Some(Stays::NoneIsFaster);
    assert_eq!(outcomes[..2], [("series", stays, true), ("series.1", stays, false)]);
    assert_eq!(outcomes.last(), Some(&("series.3", None, false)), "{outcomes:?}");
    let spans: Vec<_> = pieces.iter().map(|piece| piece.region.span).collect();
    assert!(spans[1..].iter().all(|s| spans[0].start <= s.start && s.end <= spans[0].end));

    let replacements =
        pieces.into_iter().filter_map(|p| p.replacement().expect("code")).collect::<Vec<_>>();
    let text = splice(&input.source, &replacements);
    assert!(text.contains("x = x * 0.5 + j;"), "the text of what stays is kept: {text}");
    let run = |text: &str| {
        let compiler: Compiler = "gcc -O2 -fopenmp -ffp-contract=off".parse().expect("a command");
        let program = compiler.compile(&Build::text("series.c", text)).expect("a program");
        program.run(&RunOptions::default()).expect("output").stdout
    };
    assert_eq!(run(&text), run(PROGRAM));
}

#[test]
fn what_is_too_large_for_its_share_is_worked_on_in_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = found(PROGRAM, folder.path());
    let little = pieces_of(&input, &Options { effort: 20_000, ..auto() });
    assert_eq!(outcomes(&little)[0], ("series", Some(Stays::OutOfWork), true));
    assert!(little.len() > 3, "{:?}", outcomes(&little));
}

#[test]
fn other_strategies_marked_regions_and_plain_nests_have_no_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = found(PROGRAM, folder.path());
    let pluto = Options { strategy: Strategy::Original, ..auto() };
    assert_eq!(pieces_of(&input, &pluto).len(), 1);
    assert_eq!(pieces(None, &input.regions[0], &auto()).len(), 1);

    let marked = PROGRAM.replace("    int i, j;\n", "    int i, j;\n#pragma scop\n");
    let marked = marked.replace("    return x;", "#pragma endscop\n    return x;");
    assert_eq!(pieces_of(&found(&marked, folder.path()), &auto()).len(), 1);

    let nest = "void f(double x[9]) { double y = 1; for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) { x[j] += y; y = x[j] * i; } }";
    assert_eq!(pieces_of(&found(nest, folder.path()), &auto()).len(), 1);
}

/// A function is one that compilers put in the place of its call as long as it is called once: where its loops get the same form there
/// as here, the call stays.
#[test]
fn a_call_of_a_function_that_gets_the_same_form_stays() {
    let text = "
#include <stdio.h>
#include <stdlib.h>
static void scale(const float *from, unsigned char *to, size_t n, float by)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)(from[i] * by);
}
int main(void)
{
    size_t n = 10000000;
    float *from = malloc(n * sizeof *from);
    unsigned char *to = malloc(n);
    for (size_t i = 0; i < n; i++)
        from[i] = i % 5;
    for (int by = 1; by < 4; by++) {
        puts(\"to bytes\");
        scale(from, to, n, by);
    }
    return to[3];
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let input = found(text, folder.path());
    let of = |region| pieces(input.reading.as_ref(), region, &auto());
    let mut done: Vec<Piece> = input.regions.iter().flat_map(of).collect();
    let call = |done: &[Piece]| {
        let is_call = |piece: &&Piece| piece.region.host.original.trim().starts_with("scale(");
        let piece = done.iter().find(is_call).expect("the call");
        piece.result.as_ref().expect("a result").stays
    };
    assert_eq!(call(&done), None, "by itself it gains");
    leave_out(&mut done, &auto());
    assert_eq!(call(&done), Some(Stays::InCallee));
    let stay = |piece: &&Piece| piece.result.as_ref().expect("a result").stays.is_some();
    assert_eq!(done.iter().filter(stay).count(), 1, "nothing else does");
}
