//! Libraries built with the system's C compiler, and programs for them to schedule.
#![allow(dead_code, reason = "each test uses its part")]

use farkas_base::{Diagnostic, SourceFile};
use farkas_capi::{PluginStrategy, StrategyLibrary, load_strategy};
use farkas_deps::{DependenceOptions, dependences, legality};
use farkas_run::{Build, Compiler, Executable};
use farkas_schedule::{ScheduleOptions, Scheduled, Strategy, schedule};
use farkas_scop::Region;
use std::path::PathBuf;
use std::sync::Arc;

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A library of C text, built as the header says; it must compile without a warning.
pub(crate) fn build(compiler: &str, build: Build) -> Executable {
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include");
    let flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", include];
    let compiler: Compiler = compiler.parse().expect("a compiler");
    let library = compiler.compile(&build.flags(flags));
    library.unwrap_or_else(|error| panic!("{error}\n{}", error.note().unwrap_or_default()))
}

/// A library whose strategy has these functions.
pub(crate) fn library(create: Option<&str>, plan: &str) -> Executable {
    library_of_kinds(create, plan, "0")
}

/// The same with these kinds of dependences for proximity.
pub(crate) fn library_of_kinds(create: Option<&str>, plan: &str, kinds: &str) -> Executable {
    let (create, name) = match create {
        Some(body) => (
            format!(
                "static int create(const farkas_scop *scop, farkas_setup *setup, void **instance)
                 {{ (void)scop; (void)setup; (void)instance; {body} return FARKAS_OK; }}"
            ),
            "create",
        ),
        None => (String::new(), "NULL"),
    };
    let text = format!(
        "#include \"farkas_strategy.h\"
         {create}
         static int plan(void *instance, const farkas_state *state, farkas_plan *plan)
         {{ (void)instance; (void)state; (void)plan; {plan} return FARKAS_OK; }}
         const farkas_strategy *farkas_strategy_v1(void)
         {{
             static const farkas_strategy table = {{
                 FARKAS_ABI_VERSION, sizeof(farkas_strategy), \"test\", {name}, NULL, plan, {kinds}
             }};
             return &table;
         }}"
    );
    build("cc -std=c99", Build::text("strategy.c", text))
}

/// The loaded form.
pub(crate) fn load(library: &Executable) -> Result<StrategyLibrary, String> {
    load_strategy(library.path()).map_err(|diagnostic| message(library, &diagnostic))
}

/// The message of a diagnostic, without the path of the library.
fn message(library: &Executable, diagnostic: &Diagnostic) -> String {
    assert!(diagnostic.is_error());
    without_path(library, &diagnostic.message)
}

/// A text with `LIB` for the path of the library.
pub(crate) fn without_path(library: &Executable, text: &str) -> String {
    text.replace(&format!("`{}`", library.path().display()), "LIB")
}

/// The only region of a program.
pub(crate) fn region(body: &str) -> (Arc<SourceFile>, Region) {
    let text = format!("void f(int n, double A[n][n], double B[n][n]) {{\n{body}\n}}\n");
    let source = Arc::new(SourceFile::new("f.c", text.as_str()));
    let options = farkas_front_c::Options::default();
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let input = farkas::parse(Arc::clone(&source), &preprocessed, &options);
    assert!(!input.has_errors(), "{:?}", input.diagnostics);
    let [region] = <[Region; 1]>::try_from(input.regions).expect("one region");
    (source, region)
}

/// Two statements, the second of which reads what the first writes, and itself.
pub(crate) const CHAIN: &str = "#pragma scop
for (int i = 1; i < n; i++)
  for (int j = 1; j < n; j++)
    A[i][j] = A[i][j] * 2;
for (int i = 1; i < n; i++)
  for (int j = 1; j < n; j++)
    B[i][j] = B[i - 1][j] + A[i][j];
#pragma endscop";

/// The strategy of a library for a region.
pub(crate) fn strategy(
    library: &Executable,
    (source, region): &(Arc<SourceFile>, Region),
) -> Result<PluginStrategy, String> {
    let strategy = load(library)?.strategy(&region.scop, Some(source.as_ref()));
    strategy.map_err(|diagnostic| message(library, &diagnostic))
}

/// The schedule of a region, which the legality check accepts.
pub(crate) fn scheduled(
    region: &Region,
    strategy: &mut dyn Strategy,
) -> Result<Scheduled, farkas_schedule::Error> {
    let deps = dependences(&region.scop, DependenceOptions::default()).expect("dependences");
    let scheduled = schedule(&region.scop, &deps, strategy, &ScheduleOptions::default())?;
    let verdict = legality::check(&region.scop, &scheduled.tree).expect("a verdict");
    assert!(verdict.is_legal(), "{verdict:?}\n{}", scheduled.tree);
    Ok(scheduled)
}

/// What comes of a library with this `create` and `plan` on [`CHAIN`]: the schedule's report, or the message.
pub(crate) fn outcome(create: Option<&str>, plan: &str) -> Result<Scheduled, String> {
    outcome_of(&library(create, plan))
}

/// What comes of a library on [`CHAIN`].
pub(crate) fn outcome_of(library: &Executable) -> Result<Scheduled, String> {
    let region = region(CHAIN);
    let mut strategy = strategy(library, &region)?;
    scheduled(&region.1, &mut strategy).map_err(|error| without_path(library, &error.to_string()))
}
