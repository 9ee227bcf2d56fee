//! Reductions by functions that the user says to be operators: programs are compiled and run on threads, and print what the original
//! prints; the check believes the pragma, and nothing else.

use farkas::{Input, Options, ReadOptions, Strategy, optimize, read, splice};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_deps::legality::{Verdict, check_program};
use farkas_run::{Build, Compiler, Exit, RunOptions};
use farkas_scop::{BodyStmt, Combiner, Expr, Operator, Reassociation, ScopBuilder};
use farkas_tree::Program;
use std::rc::Rc;
use std::sync::Arc;

/// Functions that are operators, and one that is none.
const FUNCTIONS: &str = "#include <math.h>
#include <stdio.h>
static unsigned gcd(unsigned a, unsigned b)
{
  while (b > 0) {
    unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
static unsigned saturated(unsigned a, unsigned b)
{
  return a + b < a ? ~0u : a + b;
}
static double farther(double a, double b)
{
  return fabs(a) > fabs(b) ? fabs(a) : fabs(b);
}
static long later(long a, long b)
{
  return a > b ? a : b;
}
";

/// An element, its function and neutral element, what it is combined with, and what it begins with.
struct Case {
    ty: &'static str,
    function: &'static str,
    neutral: &'static str,
    value: &'static str,
    begin: &'static str,
}

const CASES: [Case; 5] = [
    Case { ty: "unsigned", function: "gcd", neutral: "0", value: "12 * (i % 7 + 1)", begin: "30" },
    Case {
        ty: "unsigned",
        function: "saturated",
        neutral: "0",
        value: "(unsigned)i * 1000",
        begin: "1",
    },
    Case {
        ty: "double",
        function: "farther",
        neutral: "0.0",
        value: "(i * 37) % 91 - 60.5",
        begin: "1.0",
    },
    Case {
        ty: "long",
        function: "later",
        neutral: "-9223372036854775808",
        value: "(i * 37L) % 91 - 100",
        begin: "-1000",
    },
    Case {
        ty: "double",
        function: "fmin",
        neutral: "INFINITY",
        value: "(i * 37) % 91 - 60.5",
        begin: "1e9",
    },
];

impl Case {
    /// A program that combines several numbers of values.
    fn program(&self, neutral: &str) -> String {
        let Self { ty, function, value, begin, .. } = self;
        format!(
            "{FUNCTIONS}static {ty} x[40000];
#pragma farkas reduction({function}: s) neutral({neutral})
static {ty} all(int n)
{{
  {ty} s = {begin};
#pragma scop
  for (int i = 0; i < n; i++)
    s = {function}(s, x[i]);
#pragma endscop
  return s;
}}
int main(void)
{{
  for (int i = 0; i < 40000; i++)
    x[i] = {value};
  for (int n = 0; n <= 40000; n = 3 * n + 1)
    printf(\"%.17g\\n\", (double)all(n));
  (void)gcd, (void)saturated, (void)farther, (void)later;
  return 0;
}}
"
        )
    }
}

/// A program, read.
fn input(text: &str, reassociation: Reassociation) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("written");
    let mut reading = ReadOptions::default();
    reading.front.reassociation = reassociation;
    let input = read(&path, &reading).expect("a readable program");
    assert!(input.diagnostics.is_empty() && input.regions.len() == 1, "{:?}", input.diagnostics);
    input
}

/// The options for a recipe of these steps.
fn recipe(steps: &str) -> Options {
    let text = format!(r#"{{ "recipe": {{ "name": "r", "steps": [{steps}] }} }}"#);
    let source = Arc::new(SourceFile::new("r.json", text));
    let recipe = Arc::new(RecipeFile::parse(source).expect("a recipe"));
    Options::default().with_recipe(recipe).expect("a strategy")
}

/// The program with its region replaced.
fn transformed(text: &str, reassociation: Reassociation, options: &Options) -> String {
    let input = input(text, reassociation);
    let optimized = optimize(&input.regions[0], options).expect("code");
    splice(&input.source, &[(input.regions[0].span, optimized.code)])
}

/// What a program prints on some threads.
fn output(text: &str, threads: usize) -> String {
    let flags =
        "gcc -std=gnu11 -Wall -Wextra -Werror -O2 -fopenmp -Wno-unknown-pragmas -ffp-contract=off";
    let compiler: Compiler = flags.parse().expect("a command line");
    let program = compiler.compile(&Build::text("program.c", text).flags(["-lm"]));
    let program = program.unwrap_or_else(|error| {
        panic!("{error}\n{}\n{text}", error.note().unwrap_or_default());
    });
    let run = program.run(&RunOptions::default().threads(threads)).expect("it starts");
    assert_eq!(run.exit, Exit::Code(0), "{}\n{text}", run.stderr);
    run.stdout
}

const PARTS: &str = r#"{ "step": "tile", "loop": "S0.1", "sizes": [64] },
    { "step": "privatise", "loop": "S0.1", "stmt": "S0" }, { "step": "mark", "loop": "S0.1", "as": "parallel" }"#;

/// Parts, each of which gathers in lanes.
const LANES: &str = r#"{ "step": "cyclic", "loop": "S0.1", "parts": 4, "block": 64 },
    { "step": "privatise", "loop": "S0.1", "stmt": "S0" }, { "step": "mark", "loop": "S0.1", "as": "parallel" },
    { "step": "mark", "loop": "S0.3", "as": "vector", "reduce": ["s_part"] }"#;

/// A loop whose iterations update copies of `s`, on threads or in lanes.
fn copies(kind: &str) -> String {
    format!(r#"{{ "step": "mark", "loop": "S0.1", "as": "{kind}", "reduce": ["s"] }}"#)
}

/// On threads, in lanes, and in parts, whatever the number of threads: what comes out is what the original prints.
#[test]
fn results_are_those_of_the_original() {
    use Reassociation::{Exact, Fixed};
    for case in &CASES {
        let text = case.program(case.neutral);
        let expected = output(&text, 1);
        let word = format!("farkas_{}_into_s", case.function);
        let auto = Options { strategy: Strategy::Auto, ..Options::default() };
        let forms = [
            (Options::default(), Exact, format!("reduction({word}: s)")),
            (auto, Exact, format!("reduction({word}: s)")),
            (
                recipe(&copies("parallel")),
                Exact,
                format!("#pragma omp declare reduction({word}: {}", case.ty),
            ),
            // A call is no reason for lanes; a cell is.
            (recipe(&copies("vector")), Exact, "for (int i = 0; i < n; i++)".to_owned()),
            (
                recipe(LANES),
                Exact,
                format!("farkas_lanes[farkas_lane] = {}(farkas_lanes", case.function),
            ),
            (recipe(PARTS), Exact, format!("s = {}(s, s_part", case.function)),
            (Options::default(), Fixed, format!("s = {}(s, s_part", case.function)),
        ];
        for (options, reassociation, sign) in forms {
            let text = transformed(&text, reassociation, &options);
            assert!(text.contains(&sign), "{sign}:\n{text}");
            for threads in [1, 2, 4] {
                assert_eq!(output(&text, threads), expected, "{threads} threads:\n{text}");
            }
        }
    }
}

/// The neutral element counts: with another one, results are others.
#[test]
fn a_wrong_neutral_element_shows() {
    for (case, neutral) in CASES.iter().zip(["1", "7", "1e6", "0", "-1e6"]) {
        let text = case.program(neutral);
        let expected = output(&text, 1);
        for form in [&*copies("parallel"), LANES, PARTS] {
            let text = transformed(&text, Reassociation::Exact, &recipe(form));
            assert_ne!(output(&text, 2), expected, "{text}");
        }
    }
}

/// What the check says of the program of the first case in parts, after a change.
fn judged(change: impl FnOnce(&mut ScopBuilder)) -> String {
    let input = input(&CASES[0].program("0"), Reassociation::Exact);
    let region = &input.regions[0];
    let program = optimize(region, &recipe(PARTS)).expect("code").program();
    let mut builder = program.scop.to_builder();
    change(&mut builder);
    let program = Program { scop: builder.build().expect("a scop"), ..program };
    match check_program(&region.scop, &program).expect("a verdict") {
        Verdict::Legal => "legal".to_owned(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// What a statement assigns.
fn value<'b>(builder: &'b mut ScopBuilder, stmt: &str) -> &'b mut Expr {
    let stmt = builder.stmts.iter_mut().find(|known| known.name == stmt).expect("the statement");
    let [BodyStmt::Assign { value, .. }] = stmt.body.as_mut_slice() else {
        panic!("no assignment")
    };
    value
}

/// The check takes the neutral element from the pragma: partial results that begin otherwise are none.
#[test]
fn partial_results_begin_with_the_neutral_element() {
    assert_eq!(judged(|_| {}), "legal");
    for other in [Expr::Verbatim("1".into()), Expr::int(1), Expr::Verbatim("-1".into())] {
        let message = judged(|builder| *value(builder, "S0_begin") = other.clone());
        assert!(message.contains("neutral element"), "{other:?}: {message}");
    }
}

/// Whatever cells say of themselves: what counts is what is granted to the element.
#[test]
fn cells_grant_nothing() {
    let gcd = Combiner { name: "gcd".into(), neutral: "1".into() };
    let gcd = Operator::Function(Rc::new(gcd));
    for names in [&["s_part"][..], &["s", "s_part"]] {
        let message = judged(|builder| {
            *value(builder, "S0_begin") = Expr::Verbatim("1".into());
            for array in builder.arrays.iter_mut().filter(|a| names.contains(&&*a.source_name)) {
                array.reduction = Some(gcd.clone());
            }
        });
        assert_ne!(message, "legal", "{names:?}");
    }
}

/// Cells are combined by the function that gathers in them, which is the original's.
#[test]
fn partial_results_have_one_function() {
    for stmts in [&["S0"][..], &["S0_combine"], &["S0", "S0_combine"]] {
        let message = judged(|builder| {
            for stmt in stmts {
                let Expr::Call(name, _) = value(builder, stmt) else { panic!("no call") };
                *name = "saturated".to_owned();
            }
        });
        assert_ne!(message, "legal", "{stmts:?}");
    }
}

/// Without the pragma, or where it names another function or element, the order is the program's.
#[test]
fn nothing_else_is_free() {
    let text = CASES[0].program("0");
    let pragma = "#pragma farkas reduction(gcd: s) neutral(0)\n";
    let free = input(&text, Reassociation::Exact);
    assert!(optimize(&free.regions[0], &recipe(&copies("parallel"))).is_ok());
    for other in
        ["", "#pragma farkas reduction(+: s)\n", "#pragma farkas reduction(gcd: t) neutral(0)\n"]
    {
        let text = text.replace(pragma, other);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program.c");
        std::fs::write(&path, text).expect("written");
        let input = read(&path, &ReadOptions::default()).expect("a readable program");
        assert_eq!(
            input.diagnostics.len(),
            usize::from(!other.is_empty()),
            "{:?}",
            input.diagnostics
        );
        assert!(optimize(&input.regions[0], &recipe(&copies("parallel"))).is_err(), "{other}");
    }
    // Threads would combine what they gather as they end, which shows where the function rounds.
    for reassociation in [Reassociation::Kept, Reassociation::Fixed] {
        let fixed = input(&text, reassociation);
        assert!(optimize(&fixed.regions[0], &recipe(&copies("parallel"))).is_err());
    }
}
