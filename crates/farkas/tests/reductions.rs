//! Which loops may update elements in an order that is free, and which may not: the check decides, whatever a recipe asks for.

use farkas::{Error, Options, ReadOptions, optimize, read};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_run::{Build, Compiler, RunOptions};
use farkas_scop::{Freedom, Reassociation};
use std::sync::Arc;

/// What becomes of a region under a recipe of these steps: the code, or the messages.
fn outcome(
    params: &str,
    body: &str,
    steps: &str,
    reassociation: Reassociation,
) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("region.c");
    let text = format!(
        "double held[1];\nvoid f({params})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    );
    std::fs::write(&path, text).expect("written");
    let mut reading = ReadOptions::default();
    reading.front.reassociation = reassociation;
    let input = read(&path, &reading).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{:?}", input.diagnostics);
    let recipe = format!(r#"{{ "recipe": {{ "name": "r", "steps": [{steps}] }} }}"#);
    let source = Arc::new(SourceFile::new("r.json", recipe));
    let recipe = Arc::new(RecipeFile::parse(source).expect("a recipe"));
    let options = Options::default().with_recipe(recipe).expect("a strategy");
    match optimize(&input.regions[0], &options) {
        Ok(optimized) => Ok(optimized.code),
        Err(Error::Refused(found)) => {
            let text = |d: &farkas_base::Diagnostic| format!("{} {}", d.message, d.notes.join(" "));
            Err(found.iter().map(text).collect::<Vec<_>>().join("; "))
        }
        Err(other) => Err(other.to_string()),
    }
}

/// The step that has iterations of a loop update copies of an array on threads.
fn threads(at: &str, array: &str) -> String {
    format!(r#"{{ "step": "mark", "loop": "{at}", "as": "parallel", "reduce": ["{array}"] }}"#)
}

const LOOP: &str = "for (int i = 0; i < n; i++)";

/// Updates whose order is free: the loop runs on threads, with this in its clause.
#[test]
fn what_is_free_runs_on_threads() {
    use Reassociation::{Exact, Rounded};
    let cases = [
        ("int n, unsigned s[1], unsigned x[n]", "s[0] += x[i];", Exact, "(+:"),
        ("int n, int s[1], int x[n]", "s[0] -= x[i];", Exact, "(+: farkas_held)"),
        ("int n, long s[1], int x[n]", "s[0] = x[i] + s[0];", Exact, "(+: farkas_held)"),
        ("int n, short s[1], short x[n]", "s[0] *= x[i];", Exact, "(*: farkas_held)"),
        ("int n, int s[1], int x[n]", "s[0] &= x[i];", Exact, "(&:"),
        ("int n, int s[1], int x[n]", "s[0] = s[0] | x[i];", Exact, "(|:"),
        ("int n, char s[1], char x[n]", "s[0] ^= x[i];", Exact, "(^:"),
        ("int n, int s[1], int x[n]", "s[0] = x[i] && s[0];", Exact, "(&&:"),
        ("int n, int s[1], int x[n]", "s[0] = x[i] > 3 || s[0];", Exact, "(||:"),
        ("int n, int s[1], int x[n]", "s[0] = x[i] < s[0] ? x[i] : s[0];", Exact, "(min:"),
        ("int n, long s[1], int x[n]", "s[0] = s[0] >= x[i] ? s[0] : x[i];", Exact, "(max:"),
        ("int n, int s[1], int x[n]", "if (x[i] > s[0]) s[0] = x[i];", Exact, "(max:"),
        (
            "int n, double s[1], double x[n]",
            "s[0] = __builtin_fmax(s[0], x[i]);",
            Exact,
            "(farkas_fmax:",
        ),
        ("int n, double s[1], double x[n]", "s[0] += x[i] * x[i];", Rounded, "(+:"),
        ("int n, float s[1], float x[n]", "s[0] = s[0] * x[i];", Rounded, "(*:"),
        ("int n, double s[1], double x[n]", "s[0] = x[i] + s[0] - 1.0;", Rounded, "(+:"),
        ("int n, _Float16 s[1], _Float16 x[n]", "s[0] += x[i] * 0.5f16;", Rounded, "(+:"),
        ("int n, float s[1], _Float16 x[n]", "s[0] += (float)x[i];", Rounded, "(+:"),
        ("int n, __bf16 s[1], __bf16 x[n]", "s[0] += x[i] * 0.5bf16;", Rounded, "(+:"),
        ("int n, __bf16 s[1], __bf16 x[n]", "s[0] = x[i] > s[0] ? x[i] : s[0];", Rounded, "(max:"),
        ("int n, double s[1], double x[n]", "s[0] = x[i] > s[0] ? x[i] : s[0];", Rounded, "(max:"),
    ];
    for (params, body, reassociation, clause) in cases {
        let found =
            outcome(params, &format!("{LOOP} {body}"), &threads("S0.1", "s"), reassociation);
        let code = found.unwrap_or_else(|e| panic!("{body}: {e}"));
        assert!(code.contains(&format!("reduction{clause}")), "{body}:\n{code}");
    }
}

/// What may not: each is refused, with a reason.
#[test]
fn what_is_not_free_is_refused() {
    use Reassociation::{Exact, Kept, Rounded};
    let sums = "int n, double s[1], double x[n], double y[n]";
    let ints = "int n, int s[2], int x[n], int y[n]";
    let cases: &[(&str, &str, &str, &str, Reassociation)] = &[
        // The order of floating-point numbers without permission.
        (sums, "s[0] += x[i];", "S0.1", "s", Exact),
        (sums, "s[0] *= x[i];", "S0.1", "s", Exact),
        (sums, "s[0] = x[i] > s[0] ? x[i] : s[0];", "S0.1", "s", Exact),
        (sums, "if (x[i] < s[0]) s[0] = x[i];", "S0.1", "s", Exact),
        // Nothing is permitted at all.
        (ints, "s[0] += x[i];", "S0.1", "s", Kept),
        // A partial result that is read inside.
        (ints, "{ s[0] += x[i]; y[i] = s[0]; }", "S0.1", "s", Exact),
        (sums, "{ y[i] = s[0]; s[0] += x[i]; }", "S0.1", "s", Rounded),
        (ints, "{ s[0] += x[i]; if (s[0] > 9) y[i] = 1; }", "S0.1", "s", Exact),
        // Mixed operators.
        (ints, "{ s[0] += x[i]; s[0] *= y[i]; }", "S0.1", "s", Exact),
        (ints, "{ s[0] += x[i]; s[0] ^= y[i]; }", "S0.1", "s", Exact),
        (sums, "{ s[0] += x[i]; s[0] = y[i] > s[0] ? y[i] : s[0]; }", "S0.1", "s", Rounded),
        (
            ints,
            "{ s[0] = x[i] < s[0] ? x[i] : s[0]; s[0] = y[i] > s[0] ? y[i] : s[0]; }",
            "S0.1",
            "s",
            Exact,
        ),
        // A write that is no update.
        (ints, "{ s[0] = 0; s[0] += x[i]; }", "S0.1", "s", Exact),
        (ints, "s[0] = x[i];", "S0.1", "s", Exact),
        // No operator that is associative, or not with the element where it must be.
        (ints, "s[0] = x[i] - s[0];", "S0.1", "s", Exact),
        (sums, "s[0] /= x[i];", "S0.1", "s", Rounded),
        (ints, "s[0] = s[0] << x[i];", "S0.1", "s", Exact),
        (ints, "s[0] = s[0] % (x[i] + 1);", "S0.1", "s", Exact),
        (sums, "s[0] = x[i] - s[0];", "S0.1", "s", Rounded),
        (sums, "s[0] = s[0] + x[i] * s[0];", "S0.1", "s", Rounded),
        (sums, "s[0] = s[0] + s[0];", "S0.1", "s", Rounded),
        // A result that feeds its own operands.
        (sums, "s[0] += x[i] * s[0];", "S0.1", "s", Rounded),
        (ints, "s[0] += x[s[0] & 1];", "S0.1", "s", Exact),
        // Overlapping targets: what an iteration reads, another one updates.
        ("int n, int x[n + 1]", "x[i] += x[i + 1];", "S0.1", "x", Exact),
        ("int n, int x[n + 1]", "x[0] += x[i];", "S0.1", "x", Exact),
        // A comparison of other values than the one that is taken.
        (ints, "s[0] = x[i] > s[0] ? y[i] : s[0];", "S0.1", "s", Exact),
        (ints, "s[0] = x[i] > s[1] ? x[i] : s[0];", "S0.1", "s", Exact),
        // A trap that the original avoids: `e` is evaluated where `x` is true alone.
        (ints, "s[0] = s[0] && x[i];", "S0.1", "s", Exact),
        (ints, "s[0] = s[0] || y[i] / x[i];", "S0.1", "s", Exact),
        // Conversions between updates.
        ("int n, int s[1], double x[n]", "s[0] += x[i];", "S0.1", "s", Exact),
        ("int n, _Bool s[1], int x[n]", "s[0] += x[i];", "S0.1", "s", Rounded),
        ("int n, _Bool s[1], int x[n]", "s[0] ^= x[i];", "S0.1", "s", Rounded),
        ("int n, int s[1], unsigned x[n]", "s[0] = x[i] > s[0] ? x[i] : s[0];", "S0.1", "s", Exact),
        (
            "int n, double s[1], double x[n]",
            "s[0] = __builtin_fmaxf(s[0], x[i]);",
            "S0.1",
            "s",
            Exact,
        ),
    ];
    assert!(cases.len() > 30);
    for (params, body, at, array, reassociation) in cases {
        let found = outcome(params, &format!("{LOOP} {body}"), &threads(at, array), *reassociation);
        let message = found.expect_err(body);
        let is_told = message.contains("carries") || message.contains("is not free");
        assert!(is_told, "{body}: {message}");
    }
}

/// Where results must not depend on the number of threads, these do not combine what they gather as they end; lanes do, and threads what is
/// the same in any order.
#[test]
fn threads_do_not_show_in_results() {
    use Reassociation::{Fixed, Lanes, Rounded};
    let of = |ty: &str, body: &str, kind: &str, reassociation| {
        let step = threads("S0.1", "s").replace("parallel", kind);
        let params = format!("int n, {ty} s[1], {ty} x[n]");
        outcome(&params, &format!("{LOOP} {body}"), &step, reassociation)
    };
    let sum = "s[0] += x[i];";
    for body in [sum, "s[0] = __builtin_fmin(x[i], s[0]);"] {
        assert!(of("double", body, "parallel", Rounded).is_ok(), "{body}");
        for mode in [Lanes, Fixed] {
            let refused = of("double", body, "parallel", mode).expect_err(body);
            assert!(refused.contains("the order in which threads end"), "{body}: {refused}");
            assert!(of("double", body, "vector", mode).is_ok(), "{body}, {mode:?}");
            assert!(of("int", sum, "parallel", mode).is_ok(), "{mode:?}");
        }
    }
    // What runs in lanes, too, is no better.
    let both = [threads("S0.1", "s"), threads("S0.1", "s").replace("parallel", "vector")];
    let params = "int n, double s[1], double x[n]";
    let refused = outcome(params, &format!("{LOOP} {sum}"), &both.join(", "), Fixed);
    let refused = refused.expect_err("it runs on threads");
    assert!(refused.contains("the order in which threads end"), "{refused}");
}

/// The order of updates is free for loops, too, one after another: sums of floating-point numbers with permission, and integers where no
/// partial sum may overflow anew.
#[test]
fn free_updates_may_change_their_order() {
    use Reassociation::{Exact, Rounded};
    let order = r#"{ "step": "interchange", "loops": ["S0.2", "S0.1"] }"#;
    let nest = |body: &str| format!("{LOOP} for (int j = 0; j < n; j++) {body}");
    let of = |params: &str, body: &str, reassociation| {
        outcome(params, &nest(body), order, reassociation)
    };
    let doubles = "int n, double s[1], double A[n][n]";
    assert!(of(doubles, "s[0] += A[j][i];", Rounded).is_ok());
    let refused = of(doubles, "s[0] += A[j][i];", Exact).expect_err("refused");
    assert!(refused.contains("changes what `f` computes"), "{refused}");
    assert!(of("int n, unsigned s[1], unsigned A[n][n]", "s[0] += A[j][i];", Exact).is_ok());
    assert!(of("int n, int s[1], int A[n][n]", "s[0] ^= A[j][i];", Exact).is_ok());
    // A sum of `int`s would have other partial sums.
    assert!(of("int n, int s[1], int A[n][n]", "s[0] += A[j][i];", Exact).is_err());
}

/// Partial results that are gathered or combined at the same time race.
#[test]
fn partial_results_do_not_race() {
    use Reassociation::Rounded;
    let params = "int n, double s[1], double x[n]";
    let body = format!("{LOOP} s[0] += x[i];");
    let tile = r#"{ "step": "tile", "loop": "S0.1", "sizes": [64] }"#;
    let parts = r#"{ "step": "privatise", "loop": "S0.1", "stmt": "S0" }"#;
    let mark = |at: &str| format!(r#"{{ "step": "mark", "loop": "{at}", "as": "parallel" }}"#);
    let of = |steps: &[&str]| outcome(params, &body, &steps.join(", "), Rounded);
    let code = of(&[tile, parts, &mark("S0.1")]).expect("parts run on threads");
    assert!(code.contains("s_part[it / 64] += x[i]"), "{code}");
    let gathered = of(&[tile, parts, &mark("S0.2")]).expect_err("updates of one cell");
    assert!(gathered.contains("carries"), "{gathered}");
    let combined = of(&[tile, parts, &mark("S0_combine.1")]).expect_err("combined at once");
    assert!(
        combined.contains("combined while something touches") || combined.contains("carries"),
        "{combined}"
    );
}

/// What has no partial results says why.
#[test]
fn partial_results_are_refused_with_a_reason() {
    use Reassociation::{Exact, Rounded};
    let step = |at: &str| format!(r#"{{ "step": "privatise", "loop": "{at}", "stmt": "S0" }}"#);
    let doubles = "int n, double s[1], double x[n]";
    let cases = [
        (doubles, "s[0] += x[i];", "S0.1", Exact, "--reassociate permits it"),
        (doubles, "s[0] = x[i];", "S0.1", Rounded, "it updates no element"),
        (doubles, "s[0] /= x[i];", "S0.1", Rounded, "it updates no element"),
        (doubles, "{ s[0] += x[i]; x[i] = s[0]; }", "S0.1", Rounded, "combined at another time"),
    ];
    for (params, body, at, reassociation, expected) in cases {
        let found = outcome(params, &format!("{LOOP} {body}"), &step(at), reassociation);
        let message = found.expect_err(body);
        assert!(message.contains(expected), "{body}: {message}");
    }
}

/// What a pragma grants one variable is for its operator alone; one that has no effect is told of.
#[test]
fn pragmas_grant_the_order_of_one_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pragmas.c");
    let text = "#pragma farkas reduction(*: s)
#pragma farkas reduction(+: total)
#pragma farkas reduction(max: t)
void f(int n, double x[n], double s[1], double t[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] += x[i];
  for (int i = 0; i < n; i++)
    t[0] = x[i] > t[0] ? x[i] : t[0];
#pragma endscop
}
";
    std::fs::write(&path, text).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("a readable program");
    let told: Vec<&str> = input.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(told, ["no region has a product into `s`", "no region has a sum into `total`"]);
    let scop = &input.regions[0].scop;
    let freedom: Vec<Freedom> =
        scop.stmts().iter().filter_map(|stmt| Some(stmt.update(scop.arrays())?.freedom)).collect();
    assert_eq!(freedom, [Freedom::Rounded, Freedom::Granted]);
}

/// Tiles of a wavefront would update the same elements at the same time.
#[test]
fn updates_do_not_run_in_wavefronts() {
    let params = "double t[64][128][96], double p[restrict 96]";
    let body = "for (int k = 0; k < 96; k++) p[k] = 0;
for (int i = 0; i < 64; i++) for (int j = 0; j < 128; j++) for (int k = 0; k < 96; k++) p[k] += t[i][j][k];";
    let steps = r#"{ "step": "schedule", "strategy": "pluto", "fuse": "max" }, { "plan": "innermost" },
        { "plan": "row-tiles", "sizes": [2, 16] }, { "plan": "wavefronts" }, { "plan": "parallel" }"#;
    let code = outcome(params, body, steps, Reassociation::Rounded);
    let code = code.expect("it is legal");
    assert!(code.contains("it += 2") && !code.contains("parallel for"), "{code}");
}

/// An element that a variable holds on threads has no other variable in lanes, which would begin with itself.
#[test]
fn an_element_is_held_once() {
    let params = "int n, double x[n][n]";
    let body = format!("{LOOP} for (int j = 0; j < n; j++) held[0] += x[i][j];");
    let mark = |at: &str, kind: &str| {
        format!(r#"{{ "step": "mark", "loop": "{at}", "as": "{kind}", "reduce": ["held"] }}"#)
    };
    let steps = [mark("S0.1", "parallel"), mark("S0.2", "vector")].join(", ");
    let code = outcome(params, &body, &steps, Reassociation::Rounded).expect("it is free");
    assert_eq!(code.matches("double farkas_held = ").count(), 1, "{code}");
    assert!(code.contains("farkas_held += farkas_lanes[farkas_lane];"), "{code}");
}

/// What a program of this result prints.
fn printed(code: &str, main: &str) -> String {
    let compiler: Compiler = "gcc -O2 -fopenmp -w".parse().expect("a command line");
    let build = Build::text("result.c", format!("#include <stdio.h>\n{code}\n{main}"));
    let executable = compiler.compile(&build).expect("it compiles");
    executable.run(&RunOptions::default().threads(2)).expect("it runs").stdout
}

/// Truth values that bytes hold meanwhile: any number that is not zero sets one, and one clears it whose lowest bit is zero.
#[test]
fn truth_values_are_what_c_makes_of_numbers() {
    let mark = |kind: &str| threads("S0.1", "s").replace("parallel", kind);
    for (op, x, expected) in [("|=", 256, 1), ("|=", 0, 0), ("&=", 2, 0), ("&=", 3, 1)] {
        for kind in ["parallel", "vector"] {
            let params = "int n, _Bool s[1], int x[n]";
            let body = format!("{LOOP} s[0] {op} x[i];");
            let code =
                outcome(params, &body, &mark(kind), Reassociation::Exact).expect("it is free");
            assert!(code.contains("unsigned char farkas_held"), "{code}");
            let text = format!("void f({params})\n{{\n{code}\n}}\n");
            let first = i32::from(op == "&=");
            let main = format!(
                "int main(void) {{ _Bool s[1] = {{{first}}}; int x[40]; for (int i = 0; i < 40; i++) x[i] = {x}; f(40, s, x); printf(\"%d\", s[0]); return 0; }}"
            );
            assert_eq!(printed(&text, &main), expected.to_string(), "{op} {x}, {kind}:\n{code}");
        }
    }
}

/// A comparison that updates nothing writes nothing: the element may be one that nobody may write.
#[test]
fn elements_that_stay_are_not_written() {
    let params = "int n, int s[1], int x[n]";
    let mark = threads("S0.1", "s").replace("parallel", "vector");
    for op in [">", ">="] {
        let body = format!("{LOOP} if (x[i] {op} s[0]) s[0] = x[i];");
        let code = outcome(params, &body, &mark, Reassociation::Exact).expect("it is free");
        let text = format!("void f({params})\n{{\n{code}\n}}\nconst int limit[1] = {{ 100 }};");
        let main = "int main(void) { int x[40]; for (int i = 0; i < 40; i++) x[i] = i; f(40, (int *)limit, x); printf(\"%d\", limit[0]); return 0; }";
        assert_eq!(printed(&text, main), "100", "{code}");
    }
}

/// What an iteration updates and uses at once has no cell, in which it would not be found: the planner leaves such loops alone.
#[test]
fn what_is_used_at_once_has_no_parts() {
    let body = "for (int i = 0; i < n; i++) { C[i][1] += 1; C[1][0] = C[1][0] + (C[i][1] > 4 ? 4 : C[i][1]); }";
    let steps = r#"{ "step": "schedule", "strategy": "original" }, { "plan": "partials", "parts": 5, "block": 2 }"#;
    let code = outcome("int n, double C[n][2]", body, steps, Reassociation::Fixed);
    assert!(!code.expect("it is legal").contains("_part"));
    // What another loop used before is no obstacle.
    let body =
        "for (int i = 0; i < n; i++) C[i][1] += 1; for (int i = 0; i < n; i++) C[1][0] += C[i][1];";
    let code = outcome("int n, double C[n][2]", body, steps, Reassociation::Fixed);
    assert!(code.expect("it is legal").contains("_part"));
}

/// A variable that the last iteration leaves a value in has no copy for each: the planner leaves such loops alone.
#[test]
fn what_leaves_a_value_has_no_parts() {
    let params = "int n, int m, int t, int C[1], int x[n]";
    let body = |last: &str| {
        format!(
            "{LOOP} {{ t = 1; for (int k = 0; k < m; k++) t = x[k]; C[0] += t; }} for (int i = 0; i < n; i++) x[i] += {last};"
        )
    };
    let steps = r#"{ "step": "schedule", "strategy": "original" }, { "plan": "partials", "parts": 2, "block": 4 }"#;
    for (last, has_parts) in [("t", false), ("2", true)] {
        let code = outcome(params, &body(last), steps, Reassociation::Exact).expect("it is legal");
        assert_eq!(code.contains("_part"), has_parts, "{code}");
    }
}

/// What no instance does is no obstacle: another operator in a branch that is never taken.
#[test]
fn what_never_runs_is_no_obstacle() {
    let body =
        format!("{LOOP} {{ if (0 > 0) s[0] = x[i] < s[0] ? s[0] : x[i]; if (0 >= 0) s[0] |= 1; }}");
    let params = "int n, int s[1], int x[n]";
    let steps = r#"{ "step": "schedule", "strategy": "original" }, { "plan": "vectors" }, { "plan": "reductions" }"#;
    let code = outcome(params, &body, steps, Reassociation::Exact).expect("it is legal");
    assert!(code.contains("reduction(|:"), "{code}");
}

/// isl bounds the loop over the parts by its own iterator here; another way of cutting loops takes over.
#[test]
fn bounds_do_not_name_their_own_loop() {
    let body = "for (int i = 0; i < n + 1; i++) for (int j = 0; j < 8; j++) for (int k = 0; k < i; k += 2) { if (k - n + 2 >= j - 1) C[1] -= 1; else C[1] += 1; }";
    let steps = r#"{ "step": "schedule", "strategy": "pluto" }, { "plan": "partials", "parts": 3, "block": 1 }"#;
    let code =
        outcome("int n, short C[2]", body, steps, Reassociation::Lanes).expect("it is legal");
    assert!(code.contains("_part") && !code.contains('@'), "{code}");
}
