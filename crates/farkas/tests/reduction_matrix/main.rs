//! Every reduction of [`matrix`], original against result: each operator on each element type that has it, in each form, written in turns
//! as compound assignment and with the element on either side, with symbolic sizes, at ten shapes below 100,000 elements, on one, two and
//! four threads.
//!
//! Results are equal bit for bit where C says that the order is free, or nobody permits another one. Under `--reassociate`, sums and
//! products of floating-point numbers are within a bound. Let u be half the distance from 1 to the next number, and n how many
//! contributions an element has. In whatever order they are combined, there are n operations that round, so that no contribution goes
//! through more of them, each of which multiplies what it rounds by 1 + d with |d| ≤ u (beginning partial results with neutral elements
//! rounds nothing). So a sum is wrong by g Σ|c| at most, with g = n u / (1 - n u) and the element's first value among the
//! contributions c, and a product by g of itself; and two versions differ by twice as much. With ε = 2 u, that is
//! n ε / (1 - n ε / 2), times Σ|c| for sums, times the product for products.
//!
//! A few of each type run always; the others are long: `cargo test -- --include-ignored`; and all of them by `FARKAS_TEST_FULL`.

#[path = "../common/mod.rs"]
mod common;
mod matrix;
mod partials;
mod program;

use common::{transformed, turns};
use farkas::show::{Stage, StageResult, show};
use farkas::{Input, Options, ReadOptions, Strategy, Template, TileSizes, read};
use farkas_machine::{Machine, Threads};
use farkas_run::{Build, Compiler, Exit, RunOptions};
use farkas_scop::Reassociation;
use matrix::{Case, N_WAYS, Sort, TYPES, Type};
use std::collections::BTreeSet;
use std::time::Duration;

/// How the functions are compiled: their own compiler's order of floating-point operations.
const COMPILER: &str = "gcc -O1 -w -ffp-contract=off -fopenmp";

/// A text as a program.
pub(crate) fn program(text: &str, reassociation: Reassociation) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("reductions.c");
    std::fs::write(&path, text).expect("written");
    let mut reading = ReadOptions::default();
    reading.front.reassociation = reassociation;
    let input = read(&path, &reading).expect("a readable program");
    assert!(!input.has_errors(), "{:?}", input.diagnostics);
    input
}

/// A machine on which the smallest loops are worth threads.
fn eager() -> Machine {
    let threads = Threads { start_cycles: 1, wake_cycles: 1 };
    Machine { threads, ..Machine::generic() }
}

/// The options of a strategy.
fn options(strategy: Strategy) -> Options {
    Options { strategy, machine: eager(), ..Options::default() }
}

/// Compares the results of these cases with those of their originals; and those of so many runs on each number of threads with one another,
/// where results do not depend on it.
fn check(ty: Type, cases: &[Case], strategy: Strategy, reassociation: Reassociation, runs: usize) {
    let input = program(&program::functions("", ty, cases), reassociation);
    assert_eq!(input.regions.len(), cases.len());
    let what = format!("{}, {}, {reassociation:?}", ty.name, strategy.name());
    let text = transformed(&input, &options(strategy)).unwrap_or_else(|e| panic!("{what}: {e}"));
    let driver = program::driver(ty, cases, reassociation);
    let mut build = Build::text("result.c", format!("{text}\n{driver}"));
    let original = Build::text("original.c", program::functions("original_", ty, cases));
    build.inputs.extend(original.inputs);
    let compiler: Compiler = COMPILER.parse().expect("a command line");
    let executable = compiler.compile(&build).unwrap_or_else(|e| panic!("{what}: {e:?}"));
    let (expected, is_fixed) =
        (format!("{} compared\n", 10 * cases.len()), reassociation.is_same_on_all_threads());
    let mut bits = BTreeSet::new();
    for threads in [1, 2, 4].into_iter().flat_map(|threads| std::iter::repeat_n(threads, runs)) {
        let mut run = RunOptions::default().threads(threads);
        // Four threads on two cores that wait for one another in loops of their own take minutes.
        run.environment.push(("OMP_WAIT_POLICY".into(), "passive".into()));
        run.time_limit = Duration::from_secs(600);
        let output = executable.run(&run).expect("it runs");
        assert_eq!(output.exit, Exit::Code(0), "{what}, {threads} threads: {}", output.stderr);
        let shown = output.stdout.strip_prefix(&expected);
        let shown = shown.unwrap_or_else(|| panic!("{what}, {threads} threads: {}", output.stdout));
        bits.insert(shown.to_owned());
        assert!(bits.len() == 1 || !is_fixed, "{what}, {threads} threads: other bits");
    }
}

/// What users permit.
const MODES: [Reassociation; 4] =
    [Reassociation::Exact, Reassociation::Lanes, Reassociation::Fixed, Reassociation::Rounded];

/// How often each program runs on each number of threads where its bits are to be the same.
const RUNS: usize = 8;

/// Each operator on a type once, in forms that take turns.
fn check_some(types: &[Type]) {
    for ty in types {
        for reassociation in MODES {
            check(*ty, &ty.few_cases(), Strategy::Pluto, reassociation, 1);
        }
    }
}

#[test]
fn some_reductions_of_floating_point_numbers() {
    check_some(&TYPES[..2]);
}

#[test]
fn some_reductions_of_integers() {
    let of_integers = TYPES.iter().skip(2);
    for ty in of_integers {
        check(*ty, &ty.few_cases(), Strategy::Pluto, Reassociation::Exact, 1);
    }
}

/// All reductions of a type, in the gate each strategy in another one of the ways, else in all. To permit rounding changes nothing for integers.
fn check_all(ty: Type) {
    let permitted: &[Reassociation] = match ty.sort {
        Sort::Floating => &MODES,
        _ => &[Reassociation::Exact],
    };
    let strategies = [Strategy::Pluto, Strategy::Auto];
    for (n_before, strategy) in strategies.into_iter().enumerate() {
        for (at, reassociation) in permitted.iter().enumerate() {
            let runs = if *reassociation == Reassociation::Fixed { RUNS } else { 1 };
            for round in turns(&std::array::from_fn::<_, N_WAYS, _>(|way| way), n_before + at) {
                check(ty, &ty.cases(round), strategy.clone(), *reassociation, runs);
            }
        }
    }
}

/// A function with partial results.
fn in_parts(text: &str, reassociation: Reassociation) -> String {
    let input = program(text, reassociation);
    let template = Template::default().tiled(TileSizes::none()).with_partials();
    let options = Options { template, shapes_own_order: true, ..options(Strategy::Original) };
    transformed(&input, &options).expect("a result")
}

/// Lanes have copies of the cell that they update.
#[test]
fn cells_are_updated_in_lanes() {
    let text = "void f(int n, int m, int k, double A[n][m][k], double *restrict r) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int t = 0; t < k; t++)
        r[j] += A[i][j][t];
#pragma endscop
}
";
    let text = in_parts(text, Reassociation::Rounded);
    assert!(text.contains("double farkas_held = r_part[part][j];"), "{text}");
    assert!(text.contains("farkas_held += farkas_lanes[farkas_lane];"), "{text}");
}

/// What is narrower than `int`, or than what is added to it, is gathered in a type that holds both.
#[test]
fn cells_are_as_wide_as_what_is_added() {
    for (element, added, cell) in [
        ("unsigned short", "unsigned char", "unsigned"),
        ("unsigned char", "long", "unsigned long"),
        ("short", "long", "unsigned long"),
        ("int", "short", "unsigned"),
    ] {
        let text = format!(
            "void f(int n, int m, {added} A[n][m], {element} *restrict r) {{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      r[j] += A[i][j];
#pragma endscop
}}
"
        );
        let text = in_parts(&text, Reassociation::Exact);
        assert!(text.contains(&format!("{cell} (*restrict r_part)")), "{text}");
    }
}

/// Declares the tests of all reductions, one a type.
macro_rules! types {
    ($($test:ident: $ty:ident;)*) => {
        mod all {
            $(#[test] #[ignore = "long"] fn $test() { super::check_all(crate::matrix::$ty); })*
        }
    };
}

types! {
    of_double: DOUBLE;
    of_float: FLOAT;
    of_bool: BOOL;
    of_i8: I8;
    of_u8: U8;
    of_i16: I16;
    of_u16: U16;
    of_i32: I32;
    of_u32: U32;
    of_i64: I64;
    of_u64: U64;
}

/// Each reduction is recognised, with its operator, its form and what C says of its order.
#[test]
fn reductions_are_recognised() {
    let options = Options::default();
    for ty in TYPES {
        for round in 0..N_WAYS {
            let cases = ty.cases(round);
            let input = program(&program::functions("", ty, &cases), Reassociation::Exact);
            for (case, region) in cases.iter().zip(&input.regions) {
                let shown = show(region, Stage::Reductions, &options).expect("reductions");
                let StageResult::Reductions(found, _) = shown.result else { panic!("reductions") };
                let seen: Vec<_> = found.iter().map(|r| (r.operator.clone(), r.freedom)).collect();
                let expected: Vec<_> = case.expected(ty).into_iter().collect();
                assert_eq!(seen, expected, "{}:\n{}", ty.name, case.function("", ty));
                for reduction in found {
                    let [update] = reduction.updates.as_slice() else { panic!("one statement") };
                    assert_eq!(update.form(), case.expected_form(), "{}", case.function("", ty));
                }
            }
        }
    }
}
