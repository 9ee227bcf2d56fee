//! Recipes on the command line: what is done, and each refusal with its place.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use support::farkas_in;

/// A sweep whose inner loop carries, and a scaling that carries nothing.
const PROGRAM: &str = "
void f(int n, double A[n][n], double B[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            A[i][j] = A[i][j - 1] + 1.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[i][j] = 2.0 * B[i][j];
#pragma endscop
}
";

/// The file and the messages that `farkas opt` writes under a recipe of these steps.
fn opt(steps: &str, more: &[&str], status: i32) -> (String, String) {
    opt_file(PROGRAM, steps, more, status)
}

/// The same for another program.
fn opt_file(program: &str, steps: &str, more: &[&str], status: i32) -> (String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), program).expect("a file");
    let recipe = format!("{{ \"recipe\": {{ \"name\": \"mine\", \"steps\": [\n{steps}\n] }} }}\n");
    fs::write(folder.path().join("mine.json"), recipe).expect("a file");
    let args = [&["opt", "f.c", "--recipe", "mine.json", "-o", "out.c"], more].concat();
    let run = farkas_in(folder.path(), &args).expect(status);
    let out = fs::read_to_string(folder.path().join("out.c")).unwrap_or_default();
    assert_eq!(out.is_empty(), status != 0, "a refused file is not written");
    (out, run.err)
}

#[test]
fn steps_name_statements_by_their_lines() {
    let steps = r#"{ "step": "tile", "loop": "line:10.1", "sizes": [16, 64] },
{ "step": "mark", "loop": "line:7.1", "as": "parallel" }"#;
    let (out, _) = opt(steps, &[], 0);
    assert!(out.contains("strategy original, recipe mine"), "{out}");
    assert!(out.contains("tiles: it 16, jt 64"), "{out}");
    assert_eq!(out.matches("#pragma omp parallel for").count(), 1, "{out}");
}

#[test]
fn the_order_to_begin_with() {
    let steps = r#"{ "step": "schedule", "strategy": "pluto", "fuse": "max" }"#;
    let (fused, _) = opt(steps, &[], 0);
    assert!(fused.contains("strategy pluto, recipe mine"), "{fused}");
    // Flags count more than files.
    let (apart, _) = opt(steps, &["--fuse", "no"], 0);
    assert!(apart.matches("for (int i").count() > fused.matches("for (int i").count(), "{apart}");
    let (own, _) = opt(steps, &["--strategy", "original"], 0);
    assert!(own.contains("strategy original, recipe mine"), "{own}");
}

#[test]
fn a_step_that_does_not_apply_is_an_error_or_is_left_out() {
    let step = r#"{ "step": "mark", "loop": "S0.2", "as": "parallel" }"#;
    insta::assert_snapshot!("inapplicable", opt(step, &[], 1).1);
    let optional = step.replace("\"loop\"", "\"optional\": true, \"loop\"");
    let (out, err) = opt(&optional, &["--report"], 0);
    assert!(!out.contains("#pragma omp"), "{out}");
    assert!(err.contains("recipe: step `mark` is left out: the loop carries dependences"), "{err}");
}

#[test]
fn a_step_that_changes_results_is_refused_with_an_example() {
    let steps = r#"{ "step": "tile", "loop": "S1.1", "sizes": [8, 8] },
{ "step": "reverse", "loop": "S0.2" },
{ "step": "mark", "loop": "S1.1", "as": "parallel" }"#;
    insta::assert_snapshot!("illegal", opt(steps, &[], 1).1);
}

/// A tile of what a statement writes goes through a buffer, whose copies later steps name.
#[test]
fn tiles_go_through_buffers() {
    let steps = r#"{ "step": "tile", "loop": "S1.1", "sizes": [8, 8] },
{ "step": "stage", "loop": "S1.tile.2", "stmt": "S1", "array": "S1.written", "layout": ["S1.point.1", "S1.point.2"] },
{ "step": "reverse", "loop": "S1_store.-1" }"#;
    let (out, _) = opt(steps, &[], 0);
    assert!(out.contains("double B_tile[8][8]"), "{out}");
    assert!(out.contains("B_tile[i - it][j - jt] = 2.0 * B_tile[i - it][j - jt];"), "{out}");
    let store = out.find("B[i][j] = B_tile[i - it][j - jt];").expect("what is copied back");
    assert!(out[..store].ends_with("j--)\n              "), "{out}");
}

#[test]
fn a_buffer_that_cannot_be_is_refused_with_the_reason() {
    let outside =
        r#"{ "step": "stage", "loop": "S1.2", "stmt": "S1", "array": "B", "layout": ["S1.1"] }"#;
    let (_, err) = opt(outside, &[], 1);
    assert!(err.contains("`B` stays where it is: its dimensions are to run along"), "{err}");
    // What is summed up reads its neighbour, which is no part of the buffer.
    let beside = r#"{ "step": "tile", "loop": "S0.2", "sizes": [8] },
{ "step": "stage", "loop": "S0.tile.1", "stmt": "S0", "array": "S0.written", "layout": ["S0.point.1"] }"#;
    let (_, err) = opt(beside, &[], 1);
    assert!(err.contains("step `stage` changes what `f` computes"), "{err}");
    assert!(err.contains("A_tile: an element is used beside the buffer"), "{err}");
}

#[test]
fn a_buffer_may_be_as_large_as_parameters_say() {
    let stage =
        r#"{ "step": "stage", "loop": "S1.1", "stmt": "S1", "array": "B", "layout": ["S1.2"] }"#;
    let (out, _) = opt(stage, &[], 0);
    assert!(out.contains("B_tile_ = __builtin_malloc(sizeof(double["), "{out}");
    let threads = r#", { "step": "mark", "loop": "S1.1", "as": "parallel" }"#;
    let (out, _) = opt(&format!("{stage}{threads}"), &[], 0);
    assert!(out.contains("B_tile_ = __builtin_malloc(farkas_threads * "), "{out}");
    assert!(out.contains(" * farkas_thread);"), "{out}");
    let (out, _) = opt(&format!("{stage}{threads}"), &["--target", "c"], 0);
    assert!(out.contains("B_tile_ = __builtin_malloc(sizeof(double["), "{out}");
}

#[test]
fn loops_start_threads_only_where_they_may() {
    let steps = r#"{ "step": "mark", "loop": "S1.1", "as": "parallel" },
{ "step": "mark", "loop": "S1.-1", "as": "vector" }"#;
    let n_pragmas = |more: &[&str]| opt(steps, more, 0).0.matches("#pragma omp").count();
    assert_eq!(
        (n_pragmas(&[]), n_pragmas(&["--serial"]), n_pragmas(&["--target", "c"])),
        (2, 1, 0)
    );
    let file = PROGRAM.replace("#pragma scop", "#pragma omp parallel\n{\n#pragma scop");
    let file = file.replace("#pragma endscop", "#pragma endscop\n}");
    let (out, err) = opt_file(&file, &steps.replace("S1", "S0").replace("S0.-1", "S1.-1"), &[], 0);
    assert_eq!(out.matches("parallel for").count(), 0, "{out}\n{err}");
}

#[test]
fn sums_change_their_order_only_where_they_may() {
    let program = PROGRAM.replace("A[i][j] = A[i][j - 1] + 1.0", "A[i][0] += B[i][j]");
    let step = r#"{ "step": "mark", "loop": "S0.2", "as": "vector", "reduce": ["A"] }"#;
    let (_, err) = opt_file(&program, step, &[], 1);
    let reason = "the order of the updates of `A` is not free: floating-point results depend on it";
    assert!(err.contains(reason) && err.contains("--reassociate permits it"), "{err}");
    let (summed, _) = opt_file(&program, step, &["--reassociate"], 0);
    assert!(summed.contains("farkas_lanes[farkas_lane] += "), "{summed}");
    let other = step.replace("S0.2", "S1.2");
    let (_, err) = opt_file(&program, &other, &["--reassociate"], 1);
    assert!(err.contains("changes what `f` computes") || err.contains("carries"), "{err}");
}

#[test]
fn lanes_run_around_what_is_written_out_alone() {
    let vector = r#"{ "step": "mark", "loop": "S1.1", "as": "vector" }"#;
    let (_, refused) = opt(vector, &[], 1);
    assert!(refused.contains("there are loops inside that are not written out"), "{refused}");
    let unrolled = format!(
        r#"{{ "step": "tile", "loop": "S1.1", "sizes": [4] }},
{{ "step": "mark", "loop": "S1.tile.1", "as": "full-tiles-apart" }},
{{ "step": "interchange", "loops": ["S1.3", "S1.2"] }},
{{ "step": "mark", "loop": "S1.3", "as": "unroll" }},
{}"#,
        vector.replace("S1.1", "S1.2")
    );
    let (out, _) = opt(&unrolled, &[], 0);
    assert!(out.contains("#pragma omp simd"), "{out}");
}

#[test]
fn two_wrongs_may_make_a_right() {
    let step = r#"{ "step": "reverse", "loop": "S0.2" }"#;
    opt(&format!("{step},\n{step}"), &[], 0);
}

#[test]
fn what_makes_no_sense_beside_a_recipe_is_misuse() {
    let step = r#"{ "step": "reverse", "loop": "S1.2" }"#;
    for more in [&["--strategy", "auto"] as &[&str], &["--tile-sizes", "8"], &["--strips"]] {
        let (_, err) = opt(step, more, 2);
        assert!(err.contains("recipe"), "{err}");
    }
    let unknown = r#"{ "step": "schedule", "strategy": "plut" }"#;
    assert!(opt(unknown, &[], 1).1.contains("unknown strategy `plut`"));
}

/// What flags say, a recipe of planners says, too, and makes the same code.
#[test]
fn flags_are_recipes_of_planners() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), PROGRAM).expect("a file");
    for flags in [
        &["--strategy", "pluto"][..],
        &["--strategy", "pluto", "--no-tile", "--split-index-sets"],
        &["--strategy", "pluto", "--tile-sizes", "256:8,16", "--point-order", "points"],
        &["--strategy", "isl", "--fuse", "max", "--tile-sizes", "auto", "--register-tiles"],
        &["--strategy", "pluto-deep", "--split-tiles", "--strips"],
        &["--strategy", "pluto", "--tile", "--time-tiles", "rows"],
        &["--strategy", "pluto", "--without", "wavefronts,vectors"],
    ] {
        let template = [&["recipe", "template", "-o", "mine.json"], flags].concat();
        farkas_in(folder.path(), &template).expect(0);
        let by_flags = [&["opt", "f.c", "-o", "flags.c"], flags].concat();
        farkas_in(folder.path(), &by_flags).expect(0);
        let by_recipe = ["opt", "f.c", "-o", "recipe.c", "--recipe", "mine.json"];
        farkas_in(folder.path(), &by_recipe).expect(0);
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
        assert_eq!(text("flags.c"), text("recipe.c"), "{flags:?}");
    }
}

#[test]
fn strategy_auto_is_no_single_template() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = farkas_in(folder.path(), &["recipe", "template"]).expect(1);
    insta::assert_snapshot!(run.err);
}

#[test]
fn planners_that_there_are_not_are_misuse() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), PROGRAM).expect("a file");
    let run = farkas_in(folder.path(), &["opt", "f.c", "--without", "tyles"]).expect(2);
    insta::assert_snapshot!(run.err);
}

#[test]
fn each_step_is_explained() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), PROGRAM).expect("a file");
    let steps = r#"{ "step": "tile", "loop": "S1.1", "sizes": [8, 8] },
{ "step": "reverse", "loop": "S0.2" },
{ "step": "reverse", "loop": "S0.2" },
{ "plan": "parallel" },
{ "step": "mark", "loop": "S0.2", "as": "parallel", "optional": true }"#;
    let recipe = format!("{{ \"recipe\": {{ \"name\": \"mine\", \"steps\": [\n{steps}\n] }} }}\n");
    fs::write(folder.path().join("mine.json"), recipe).expect("a file");
    let run = farkas_in(folder.path(), &["recipe", "explain", "mine.json", "f.c"]).expect(0);
    insta::assert_snapshot!(run.out);
}
