//! Private copies of temporaries, from a tree whose coincident loops carry their false dependences, such as live-range
//! reordering makes, to code that runs as the original does.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;

use common::regions_agree;
use farkas::TileSizes;
use farkas::shape::shape;
use farkas::{Error, Input, Options, ReadOptions, Session, read, splice};
use farkas::{Optimized, Template, analyze, generate, optimize, verify};
use farkas_base::{Diagnostic, SourceFile};
use farkas_config::RecipeFile;
use farkas_deps::legality;
use farkas_interp::Params;
use farkas_run::{Build, Compiler, Exit, RunOptions};
use farkas_scop::Region;
use farkas_tree::{Band, Node, Program, ScheduleTree, original_tree};
use std::sync::Arc;

/// What surrounds the region of a program that prints three arrays.
const HEAD: &str = "#include <stdio.h>
#define N 23
static double A[N][N], B[N][N], C[N][N];
static void f(int n)
{
";
const TAIL: &str = "}
int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = 1.0 / (i + 2 * j + 1);
  f(N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf(\"%a %a\\n\", B[i][j], C[i][j]);
  return 0;
}
";

/// A scalar of the function; the condition, which always holds, keeps what sets it and what reads it two statements.
const SCALAR: &str = "  double t;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      t = 2.0 * A[i][j];
      B[i][j] = t + 1.0;
      if (i + j < 2 * n)
        C[j][i] = t * t;
    }
#pragma endscop
";

/// Scalars of the region, one of them a sum.
const REGION: &str = "#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      float rounded;
      for (int k = 0; k < n; k++)
        sum += A[i][k] * A[k][j];
      rounded = sum;
      B[i][j] = rounded;
      C[i][j] = sum - rounded;
    }
#pragma endscop
";

/// A row of sums in an array of the function.
const ARRAY: &str = "  double row[N];
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int p = 0; p < N; p++)
        row[p] = A[i][p] * A[p][j];
      for (int p = 0; p < N; p++)
        C[i][j] += row[N - 1 - p] * (p + 1);
    }
#pragma endscop
";

/// A scalar that code after the region reads.
const LIVE_OUT: &str = "  double t = 0.0;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      t = 2.0 * A[i][j];
      B[i][j] = t + 1.0;
    }
#pragma endscop
  C[0][0] = t;
";

/// A program with a region, read.
fn program(region: &str) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, format!("{HEAD}{region}{TAIL}")).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("a readable program");
    let messages: Vec<&Diagnostic> = input.diagnostics.iter().collect();
    assert!(!input.has_errors() && input.regions.len() == 1, "{messages:?}");
    input
}

/// `tree` with the outer `depth` loops coincident, in one permutable band: what ignores false dependences.
fn reordered(tree: &ScheduleTree, depth: usize) -> ScheduleTree {
    let mut members = Vec::new();
    let mut here = tree.children()[0].clone();
    while let Node::Band { band, child } = here.node()
        && members.len() < depth
    {
        for member in &band.members {
            let mut member = member.clone();
            member.coincident = true;
            members.push(member);
        }
        here = child.clone();
    }
    assert_eq!(members.len(), depth, "{tree}");
    let band = Band { members, permutable: true };
    tree.with_children(vec![ScheduleTree::band(band, here)])
}

/// The region in the order of the original with its outer two loops coincident, shaped as `options` ask for.
fn optimized(region: &Region, options: &Options) -> Result<Optimized, Error> {
    let (scop, mut session) = (&region.scop, Session::default());
    let deps = analyze(scop, options, &mut session)?;
    let tree = reordered(&original_tree(scop)?, 2);
    let (program, remarks) = shape(scop, &deps, true, &tree, options, &mut session)?;
    verify(scop, &program, &mut session)?;
    let ast = generate(region, &program, &mut session)?;
    let code = farkas_codegen::print_region(scop, &ast, &farkas_codegen::Options::default());
    let Program { scop, tree, origins, in_cells, no_threads } = program;
    Ok(Optimized {
        added: farkas::Added::default(),
        deps,
        scheduled: None,
        scop,
        tree,
        origins,
        in_cells,
        storage: None,
        no_threads,
        ast,
        code,
        device: None,
        stays: None,
        assumptions: Vec::new(),
        remarks,
        ranking: None,
        options: Box::new(options.clone()),
        session,
    })
}

/// The code of the region; it has the same effect as the original.
fn check(region: &str, options: &Options) -> String {
    let input = program(region);
    let scop = &input.regions[0].scop;
    let optimized = optimized(&input.regions[0], options).expect("a result");
    let again: ScheduleTree = optimized.tree.to_string().parse().expect("its text");
    assert!(legality::check(scop, &again).expect("a verdict").is_legal(), "{again}");
    regions_agree(&input.regions[0], &optimized, &Params::all(scop, 6)).expect("the same memory");
    let result = splice(&input.source, &[(input.regions[0].span, optimized.code.clone())]);
    let expected = output("gcc", input.source.text(), "-Wno-unknown-pragmas").expect("gcc");
    for compiler in ["gcc", "clang"] {
        let Some(found) = output(compiler, &result, "-fopenmp") else { continue };
        assert_eq!(found, expected, "{compiler}\n{result}");
    }
    optimized.code
}

/// What a program prints; nothing where there is no such compiler.
fn output(compiler: &str, text: &str, flag: &str) -> Option<String> {
    let flags = format!("{compiler} -std=c99 -Wall -Wextra -Werror -O2 -ffp-contract=off");
    let build = Build::text("program.c", text).flags([flag]);
    let parsed: Compiler = flags.parse().expect("a command line");
    let program = match parsed.compile(&build) {
        Ok(program) => program,
        Err(_) if compiler == "clang" && !has_clang() => return None,
        Err(error) => panic!("{error}\n{}\n{text}", error.note().unwrap_or_default()),
    };
    let output = program.run(&RunOptions::default().threads(3)).expect("it starts");
    assert_eq!(output.exit, Exit::Code(0), "{}", output.stderr);
    Some(output.stdout)
}

/// Whether clang can make programs with OpenMP.
fn has_clang() -> bool {
    let compiler: Compiler = "clang -fopenmp".parse().expect("a command line");
    compiler.compile(&Build::text("main.c", "int main(void) { return 0; }\n")).is_ok()
}

/// No tiles.
fn untiled() -> Options {
    Options { template: Template::default().tiled(TileSizes::none()), ..Options::default() }
}

/// Small tiles, whether or not they bring reuse.
fn tiled() -> Options {
    let tile = TileSizes::new(vec![vec![4, 8]]).expect("sizes");
    Options {
        template: Template::default().tiled(tile).tiled_for_reuse(false),
        ..Options::default()
    }
}

#[test]
fn scalars_of_the_function() {
    insta::assert_snapshot!("scalar", check(SCALAR, &untiled()));
    insta::assert_snapshot!("scalar_tiled", check(SCALAR, &tiled()));
}

#[test]
fn scalars_in_vector_lanes() {
    insta::assert_snapshot!("vector", check(&SCALAR.replace("C[j][i]", "C[i][j]"), &untiled()));
}

#[test]
fn scalars_of_the_region() {
    insta::assert_snapshot!("region", check(REGION, &untiled()));
    check(REGION, &tiled());
}

#[test]
fn arrays() {
    insta::assert_snapshot!("array", check(ARRAY, &untiled()));
    insta::assert_snapshot!("array_tiled", check(ARRAY, &tiled()));
}

#[test]
fn without_openmp_nothing_is_private() {
    let options = Options { target: farkas_codegen::Target::C, ..untiled() };
    assert!(!check(SCALAR, &options).contains("private"));
}

/// What reads a scalar may share the last iteration of the loop that sets it. Then it stands in no loop of its own.
#[test]
fn values_that_the_last_iteration_leaves() {
    let input = program(
        "  double t = n;
#pragma scop
  for (int i = 0; i < 7; i++)
    t = 2.0 * A[i][i];
  B[1][1] = t;
#pragma endscop
",
    );
    // A recipe of the user's starts threads for however few iterations.
    let recipe = r#"{ "recipe": { "name": "threads", "steps": [
        { "step": "schedule", "strategy": "locality-cpu" },
        { "plan": "parallel" }, { "plan": "private-copies" }
    ] } }"#;
    let recipe = RecipeFile::parse(Arc::new(SourceFile::new("threads.json", recipe)));
    let options = Options::default().with_recipe(Arc::new(recipe.expect("a recipe")));
    let optimized = optimize(&input.regions[0], &options.expect("a strategy"));
    let code = optimized.expect("a result").code;
    assert!(code.contains("private(t)"), "{code}");
    let result = splice(&input.source, &[(input.regions[0].span, code)]);
    let expected = output("gcc", input.source.text(), "-Wno-unknown-pragmas").expect("gcc");
    assert_eq!(output("gcc", &result, "-fopenmp"), Some(expected), "{result}");
}

#[test]
fn live_out_scalars_are_not_private() {
    let input = program(LIVE_OUT);
    let found = optimized(&input.regions[0], &untiled()).expect("its loops run in order");
    assert!(!found.code.contains("#pragma"), "{}", found.code);
    let told = "a loop runs in order: t cannot be private";
    assert!(
        found.remarks.iter().any(|remark| remark.text.starts_with(told)),
        "{:?}",
        found.remarks
    );
}
