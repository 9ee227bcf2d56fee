//! The files of `tests/cases/`: what becomes of them at each stage, as text beside them, and that it is right.
//!
//! A case begins with a comment:
//! - `why:` what it shows;
//! - `run:` flags, as for `farkas opt`;
//! - `show:` what is snapshotted: `scop`, `deps`, `locality`, `locality-before` (without pattern separation and access
//!   completion), `schedule` (what the scheduler returned), `tree` (after transforms), `code` (what replaces the regions),
//!   `file` (the whole result); each is in `NAME.WHAT.snap`;
//! - `at:` values of the parameters for the interpreter; without this line it cannot execute the case.
//!
//! `INSTA_UPDATE=always cargo test -p farkas --test golden` writes the snapshots anew. No snapshot stands alone: `right`
//! checks legality, compiles, runs and interprets; `treatments` asks for the same result by other ways.

mod common;

use common::{regions_agree, repository};
use farkas::{
    Input, Optimized, Options, ReadOptions, Session, Strategy, decide, generate, optimize, read,
    read_influence, read_recipe,
    show::{self, Stage},
    splice,
};
use farkas::{Template, TileSizes};
use farkas_codegen::Target;
use farkas_deps::{FlowBy, LocalityOptions, legality, locality};
use farkas_interp::Params;
use farkas_run::{Build, Compiler, Exit, RunOptions, compiler_with_bf16, shell_words};
use farkas_schedule::{FusionHeuristic, Scheduled, SolverChoice};
use farkas_scop::{Region, Scop, Statement};
use farkas_transform::{Flatten, SplitIndexSets};
use farkas_tree::{Program, ScheduleTree};
use std::fmt::{Debug, Display};
use std::path::PathBuf;
use std::str::FromStr;

/// Declares each case once: the list of all, and three tests each.
macro_rules! cases {
    ($($test:ident: $name:literal;)*) => {
        const CASES: &[&str] = &[$($name),*];

        mod golden {
            $(#[test] fn $test() { super::check_golden($name); })*
        }

        mod right {
            $(#[test] fn $test() { super::check_right($name); })*
        }

        mod treatments {
            $(#[test] fn $test() { super::check_treatments($name); })*
        }
    };
}

cases! {
    auto_without_memory: "auto-without-memory";
    auto_rare: "auto-rare";
    casts_and_calls: "casts-and-calls";
    collapse: "collapse";
    collapse_in_place: "collapse-in-place";
    context: "context";
    data_if: "data-if";
    delinearised: "delinearised";
    delinearised_definitions: "delinearised-definitions";
    delinearised_heads: "delinearised-heads";
    directives_trsml: "directives-trsml";
    empty_domain: "empty-domain";
    expand_accumulators: "expand-accumulators";
    expand_contract: "expand-contract";
    expand_contract_last: "expand-contract-last";
    expand_copy_back: "expand-copy-back";
    expand_delinearised: "expand-delinearised";
    expand_home: "expand-home";
    expand_of_expanded: "expand-of-expanded";
    expand_parts: "expand-parts";
    expand_symm: "expand-symm";
    far_apart: "far-apart";
    far_apart_ranges: "far-apart-ranges";
    far_apart_tiles: "far-apart-tiles";
    flatten_fused: "flatten-fused";
    flatten_propagated: "flatten-propagated";
    fuse_cluster: "fuse-cluster";
    fuse_cluster_shifted: "fuse-cluster-shifted";
    fuse_no: "fuse-no";
    fuse_smart: "fuse-smart";
    gemm: "gemm";
    guard: "guard";
    guard_strided: "guard-strided";
    imperfect: "imperfect";
    borders_copied: "borders-copied";
    borders_none: "borders-none";
    borders_pooling: "borders-pooling";
    index_sets: "index-sets";
    index_sets_step: "index-sets-step";
    influence_carried: "influence-carried";
    influence_reversed: "influence-reversed";
    influence_transposed: "influence-transposed";
    influence_vector: "influence-vector";
    jacobi_1d: "jacobi-1d";
    kernels_of_tiles: "kernels-of-tiles";
    local_declaration: "local-declaration";
    locality_2mm: "locality-2mm";
    locality_2mm_gpu: "locality-2mm-gpu";
    locality_lu: "locality-lu";
    locality_lu_gpu: "locality-lu-gpu";
    locality_patterns: "locality-patterns";
    locality_product: "locality-product";
    lu: "lu";
    macro_guard: "macro-guard";
    memory_flow: "memory-flow";
    min_max: "min-max";
    narrow_types: "narrow-types";
    bfloat16: "bfloat16";
    normal_form: "normal-form";
    not_equal: "not-equal";
    parts_diagonal: "parts-diagonal";
    parts_two_updates: "parts-two-updates";
    red_black: "red-black";
    reduction_threads: "reduction-threads";
    reductions: "reductions";
    reassociate: "reassociate";
    recipe_add_sum_max: "recipe-add-sum-max";
    recipe_ahead: "recipe-ahead";
    recipe_cells: "recipe-cells";
    recipe_coalesced: "recipe-coalesced";
    recipe_contract: "recipe-contract";
    recipe_cut: "recipe-cut";
    recipe_divide: "recipe-divide";
    recipe_expand: "recipe-expand";
    recipe_fission: "recipe-fission";
    recipe_flatten: "recipe-flatten";
    recipe_flatten_tiled: "recipe-flatten-tiled";
    recipe_fused: "recipe-fused";
    recipe_jammed: "recipe-jammed";
    recipe_part_strips: "recipe-part-strips";
    recipe_parts: "recipe-parts";
    recipe_partials: "recipe-partials";
    contract_temporaries: "contract-temporaries";
    deterministic: "deterministic";
    outer_lanes: "outer-lanes";
    outer_lanes_parts: "outer-lanes-parts";
    parts_between: "parts-between";
    parts_copied: "parts-copied";
    reduction_argmax: "reduction-argmax";
    reduction_parts: "reduction-parts";
    reduction_strips: "reduction-strips";
    strips_in_turn: "strips-in-turn";
    reduction_scattered: "reduction-scattered";
    reduction_function: "reduction-function";
    reduction_function_parts: "reduction-function-parts";
    reduction_pragma: "reduction-pragma";
    recipe_private: "recipe-private";
    recipe_private_c: "recipe-private-c";
    recipe_product: "recipe-product";
    recipe_projection: "recipe-projection";
    recipe_reversed: "recipe-reversed";
    recipe_rows: "recipe-rows";
    recipe_scaled: "recipe-scaled";
    recipe_sink: "recipe-sink";
    recipe_skewed: "recipe-skewed";
    recipe_split_k: "recipe-split-k";
    recipe_stage: "recipe-stage";
    recipe_sums: "recipe-sums";
    recipe_tiles_of_tiles: "recipe-tiles-of-tiles";
    recipe_up_to: "recipe-up-to";
    recipe_variables: "recipe-variables";
    reductions_other_array: "reductions-other-array";
    reductions_private: "reductions-private";
    register_beside_rows: "register-beside-rows";
    register_cells: "register-cells";
    register_cells_in_order: "register-cells-in-order";
    register_columns: "register-columns";
    register_gemm: "register-gemm";
    register_lu: "register-lu";
    register_own_sum: "register-own-sum";
    register_rows: "register-rows";
    register_solve: "register-solve";
    register_strips: "register-strips";
    register_syr2k: "register-syr2k";
    register_trmm: "register-trmm";
    residues: "residues";
    reversed: "reversed";
    row_tiles_fdtd_2d: "row-tiles-fdtd-2d";
    row_tiles_heat_3d: "row-tiles-heat-3d";
    row_tiles_jacobi_1d: "row-tiles-jacobi-1d";
    row_tiles_jacobi_2d: "row-tiles-jacobi-2d";
    row_tiles_seidel_2d: "row-tiles-seidel-2d";
    row_tiles_sums: "row-tiles-sums";
    scalar_temporary: "scalar-temporary";
    seidel: "seidel";
    share_parallel: "share-parallel";
    split_tiles: "split-tiles";
    split_tiles_free_order: "split-tiles-free-order";
    strided: "strided";
    strided_stages: "strided-stages";
    strips_columns: "strips-columns";
    strips_cut: "strips-cut";
    strips_scalars: "strips-scalars";
    strips_sweeps: "strips-sweeps";
    strips_triangle: "strips-triangle";
    threads_if: "threads-if";
    threads_if_auto: "threads-if-auto";
    threads_user: "threads-user";
    wavefront_free_order: "wavefront-free-order";
    work_of_windows: "work-of-windows";
    two_levels: "two-levels";
    two_regions: "two-regions";
    unswitched: "unswitched";
    vectorize_trsml: "vectorize-trsml";
    vectorize_two_layouts: "vectorize-two-layouts";
    while_outside: "while-outside";
    zero_dimensional: "zero-dimensional";
}

/// The folder of the cases and their snapshots.
fn folder() -> PathBuf {
    repository().join("tests/cases")
}

/// A case after the facade.
struct Case {
    header: Header,
    options: Options,
    input: Input,
    optimized: Vec<Optimized>,
}

/// The comment that a case begins with.
struct Header {
    run: String,
    show: Vec<String>,
    at: Option<Params>,
}

impl Header {
    fn parse(text: &str) -> Self {
        let comment =
            text.strip_prefix("/* ").and_then(|t| t.split_once("*/")).expect("a header").0;
        let value = |key: &str| {
            let lines = comment.lines().map(|line| line.trim_start_matches(" * "));
            lines.filter_map(|line| line.strip_prefix(key)).map(str::trim).next()
        };
        assert!(value("why:").is_some_and(|why| !why.is_empty()), "a case says why it exists");
        let values = |text: &str| {
            Params::new(text.split_whitespace().map(|assignment| {
                let (name, value) = assignment.split_once('=').expect("NAME=VALUE");
                (name.to_owned(), value.parse().expect("an integer"))
            }))
        };
        Self {
            run: value("run:").expect("flags").to_owned(),
            show: value("show:").expect("stages").split(' ').map(str::to_owned).collect(),
            at: value("at:").map(values),
        }
    }
}

/// The flags that cases use, with the meaning that `farkas opt` gives them.
fn flags(text: &str) -> (ReadOptions, Options) {
    let (mut reading, mut options) = (ReadOptions::default(), Options::default());
    let words = shell_words(text).expect("words");
    let mut words = words.iter().map(String::as_str);
    while let Some(flag) = words.next() {
        if flag == "--no-tile" {
            options = options.with_template(|template| template.tiled(TileSizes::none()));
            continue;
        }
        if flag == "--split-index-sets" {
            options = options.with_template(|template| template.with(SplitIndexSets {}));
            continue;
        }
        if flag == "--split-tiles" {
            options = options.with_template(Template::with_split_tiles);
            continue;
        }
        if flag == "--register-tiles" {
            options = options.with_template(|template| template.with_register_tiles());
            continue;
        }
        if flag == "--reassociate" {
            reading.front.reassociation = farkas_scop::Reassociation::Rounded;
            continue;
        }
        if flag == "--deterministic" {
            reading.front.reassociation = farkas_scop::Reassociation::Fixed;
            continue;
        }
        if flag == "--expand" {
            options.expand = true;
            continue;
        }
        if flag == "--flatten" {
            options = options.with_template(|template| template.with(Flatten::default()));
            continue;
        }
        if flag == "--strips" {
            options = options.with_template(Template::with_strips);
            continue;
        }
        let value = words.next().expect("a value");
        match flag {
            "--tile-sizes" => {
                let sizes =
                    |level: &str| level.split(',').map(|s| s.parse().expect("a size")).collect();
                let sizes = TileSizes::new(value.split(':').map(sizes).collect()).expect("sizes");
                options = options.with_template(|template| template.tiled(sizes));
            }
            "--time-tiles" => {
                assert_eq!(value, "rows", "plain is the default");
                let is_free = options.template == Template::default();
                options = options
                    .with_template(|template| template.tiled_for_reuse(is_free).with_row_tiles());
            }
            "--fuse" => {
                options.fusion = Some(match value {
                    "smart" => FusionHeuristic::Smart,
                    "max" => FusionHeuristic::Max,
                    "no" => FusionHeuristic::No,
                    "cluster" => FusionHeuristic::Cluster,
                    other => panic!("{other} is no fusion"),
                });
            }
            "--deps" => {
                assert_eq!(value, "memory", "value is the default");
                options.flow = FlowBy::Memory;
            }
            "--target" => {
                assert_eq!(value, "c", "openmp is the default");
                options.target = Target::C;
            }
            "--strategy" if value.ends_with(".json") => {
                options.strategy = Strategy::from_file(&folder().join(value)).expect("a strategy");
            }
            "--strategy" => options.strategy = Strategy::from_name(value).expect("a strategy"),
            "--influence" => {
                let file = read_influence(&folder().join(value)).expect("an influence tree");
                options.influence = Some(file);
            }
            "--recipe" => {
                let file = read_recipe(&folder().join(value)).expect("a recipe");
                options = options.with_recipe(file).expect("a strategy");
            }
            "--context" => reading.front.context = Some(value.to_owned()),
            other => panic!("cases know no flag {other}"),
        }
    }
    (reading, options)
}

/// Reads and optimises a case.
fn case(name: &str) -> Case {
    let path = folder().join(format!("{name}.c"));
    let text = std::fs::read_to_string(&path).expect("a readable case");
    let header = Header::parse(&text);
    let (reading, options) = flags(&header.run);
    let input = read(&path, &reading).expect("a readable case");
    let messages: Vec<String> =
        input.diagnostics.iter().map(|d| farkas_base::render(d, false)).collect();
    assert!(!input.has_errors() && !input.regions.is_empty(), "{}", messages.join("\n"));
    let optimized = input.regions.iter().map(|region| {
        let optimized = optimize(region, &options).expect("a result");
        assert!(optimized.session.warnings.is_empty(), "{:?}", optimized.session.warnings);
        assert_eq!(optimized.session.noticed_bug(), None);
        optimized
    });
    Case { optimized: optimized.collect(), header, options, input }
}

impl Case {
    /// The whole file, transformed.
    fn result(&self) -> String {
        let regions = self.input.regions.iter().zip(&self.optimized);
        let replacements: Vec<_> = regions.map(|(r, o)| (r.span, o.code.clone())).collect();
        splice(&self.input.source, &replacements)
    }

    /// What `show:` names.
    fn shown(&self, what: &str) -> String {
        if what == "file" {
            return self.result();
        }
        let regions = self.input.regions.iter().zip(&self.optimized).map(|(r, o)| match what {
            "scop" => o.basis(r).to_string(),
            "deps" => o.deps.to_string(),
            "reductions" => shown_reductions(r, &self.input),
            "normal-form" => shown_normal_form(r, &self.input),
            "locality" => reuse(r, o, &LocalityOptions::default()),
            "locality-before" => reuse(r, o, &unseparated()),
            "schedule" => o.scheduled.as_ref().expect("a schedule").tree.to_string(),
            "tree" => o.tree.to_string(),
            "code" => o.code.clone(),
            other => panic!("cases can show no {other}"),
        });
        regions.collect::<Vec<_>>().join("\n")
    }
}

/// The reductions of a region.
fn shown_reductions(region: &Region, input: &Input) -> String {
    let shown = show::show(region, Stage::Reductions, &Options::default()).expect("reductions");
    let text = show::to_text(input, &[shown]);
    // The first line has the path of the file.
    text.split_once('\n').expect("lines").1.to_owned()
}

/// The normal form of a region.
fn shown_normal_form(region: &Region, input: &Input) -> String {
    let shown = show::show(region, Stage::NormalForm, &Options::default()).expect("a normal form");
    let text = show::to_text(input, &[shown]);
    // The first line has the path of the file.
    text.split_once('\n').expect("lines").1.to_owned()
}

/// The reuse of a region.
fn reuse(region: &Region, optimized: &Optimized, options: &LocalityOptions) -> String {
    let found = locality(&region.scop, &optimized.deps, options).expect("locality");
    same_when_read_again(&found).to_string()
}

/// Spatial reuse among all references to an array, as they stand there.
fn unseparated() -> LocalityOptions {
    LocalityOptions { separates: false, completes: false, ..LocalityOptions::default() }
}

#[test]
fn every_file_of_the_folder_is_belongs_to_a_case() {
    let mut expected = Vec::new();
    for name in CASES {
        let text = std::fs::read_to_string(folder().join(format!("{name}.c"))).expect("a case");
        let header = Header::parse(&text);
        expected.extend(header.show.iter().map(|what| format!("{name}.{what}.snap")));
        expected.push(format!("{name}.c"));
        let words = header.run.split_whitespace();
        expected.extend(words.filter(|word| word.ends_with(".json")).map(str::to_owned));
    }
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| !name.ends_with(".snap.new"))
        .collect();
    found.sort();
    expected.sort();
    expected.dedup();
    assert_eq!(found, expected);
}

/// The snapshots are as they were.
fn check_golden(name: &str) {
    let case = case(name);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for what in &case.header.show {
            insta::assert_snapshot!(format!("{name}.{what}"), case.shown(what));
        }
    });
}

/// Schedule and tree are legal; the result compiles without a warning and prints what the original prints; scop, tree
/// and loops leave the same memory.
fn check_right(name: &str) {
    let case = case(name);
    for (region, optimized) in case.input.regions.iter().zip(&case.optimized) {
        let schedule = optimized.scheduled.iter();
        let schedule = schedule.map(|s| ("schedule", scheduled_program(region, optimized, s)));
        let scop = judged_against(region, optimized);
        for (what, program) in schedule.chain([("tree", optimized.program())]) {
            let verdict = legality::check_program(scop, &program).expect("a verdict");
            assert!(verdict.is_legal(), "{what}: {verdict:?}");
        }
        if let Some(params) = &case.header.at {
            regions_agree(region, optimized, params).unwrap_or_else(|message| panic!("{message}"));
        }
    }
    let (original, result) = (case.input.source.text().to_owned(), case.result());
    let has_main = original.contains("int main(");
    assert!(has_main || case.header.at.is_some(), "neither compiled nor interpreted");
    let Some(compiler) = compiler_of(&original) else {
        eprintln!("{name} is not compiled: neither gcc nor clang computes with `__bf16` here");
        return;
    };
    let output = |text, flag| output((name, text), has_main, &compiler, flag);
    let expected = output(&original, "-Wno-unknown-pragmas");
    assert!(!has_main || !expected.is_empty(), "the program prints nothing");
    assert_eq!(output(&result, "-fopenmp"), expected);
}

/// What a result is judged against: the region's scop; that with the parts of statements, which was judged by itself, where some were
/// divided.
fn judged_against<'a>(region: &'a Region, optimized: &'a Optimized) -> &'a Scop {
    let basis = optimized.basis(region);
    let is_divided = |stmt: &Statement| {
        let first = basis.stmt_by_name(&format!("{}_0", stmt.name));
        first.is_some() && basis.stmt_by_name(&stmt.name).is_none()
    };
    if region.scop.stmts().iter().any(is_divided) { basis } else { &region.scop }
}

/// The schedule before tiles and marks.
fn scheduled_program(region: &Region, optimized: &Optimized, scheduled: &Scheduled) -> Program {
    Program::new(optimized.basis(region), scheduled.tree.clone())
}

/// The compiler of a program; none where it has `__bf16`, with which neither gcc nor clang computes here.
fn compiler_of(text: &str) -> Option<Compiler> {
    let flags = ["-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off"];
    if text.contains("__bf16") {
        let conversions = repository().join("crates/run/src/bf16.c");
        return compiler_with_bf16(&flags, &conversions);
    }
    let flags = flags.map(str::to_owned).into();
    Some(Compiler { command: "gcc".to_owned(), flags })
}

/// What a program prints; nothing where it is only a function, which is compiled nevertheless.
fn output((name, text): (&str, &str), has_main: bool, compiler: &Compiler, flag: &str) -> String {
    let mut build = Build::text(format!("{name}.c"), text).flags([flag]);
    if text.contains("#pragma farkas") {
        build = build.flags(["-Wno-unknown-pragmas"]);
    }
    if !has_main {
        build.inputs.extend(Build::text("main.c", "int main(void) { return 0; }\n").inputs);
    }
    let program = compiler.compile(&build).unwrap_or_else(|error| {
        panic!("{error}\n{}\n{text}", error.note().unwrap_or_default());
    });
    let output = program.run(&RunOptions::default().threads(3)).expect("it starts");
    assert_eq!(output.exit, Exit::Code(0), "{}", output.stderr);
    output.stdout
}

/// Other ways to the same result: printed and read again, schedule and tree are legal and give the same loops; isl's
/// solver finds the same schedule; a second run gives the same text.
fn check_treatments(name: &str) {
    let case = case(name);
    let mut session = Session::default();
    for (region, optimized) in case.input.regions.iter().zip(&case.optimized) {
        let Some(scheduled) = optimized.scheduled.as_ref() else {
            // `auto` may take the program's own order.
            let is_own = case.options.recipe.is_some() || optimized.ranking.is_some();
            assert!(is_own, "a schedule");
            continue;
        };
        let orders = [scheduled_program(region, optimized, scheduled), optimized.program()];
        for order in &orders {
            let again = same_when_read_again(&order.tree);
            let program = |tree: &ScheduleTree| Program { tree: tree.clone(), ..order.clone() };
            let verdict = legality::check_program(&region.scop, &program(&again));
            assert!(verdict.expect("a verdict").is_legal(), "{again}");
            let loops = generate(region, order, &mut session).expect("loops");
            assert_eq!(
                generate(region, &program(&again), &mut session).expect("loops"),
                loops,
                "{again}"
            );
        }
        let deps = same_when_read_again(&optimized.deps);
        let isl = Options { solver: SolverChoice::Isl, ..case.options.clone() };
        let basis = optimized.basis(region);
        let tree = decide(basis, &deps, &isl, &mut session).expect("a schedule").tree;
        let ours = same_when_read_again(&scheduled.tree);
        assert_eq!(same_when_read_again(&tree).to_string(), ours.to_string(), "isl's solver, ours");
        let by_isl = optimize(region, &isl).expect("a result");
        assert_eq!(by_isl.code, optimized.code, "isl's solver");
        let second = optimize(region, &case.options).expect("a result");
        assert_eq!(second.code, optimized.code, "a second run");
    }
}

/// The value that its text gives. Reading may turn the text into isl's simplest form, which then stays as it is.
fn same_when_read_again<T: Display + FromStr<Err: Debug> + PartialEq + Debug>(value: &T) -> T {
    let again: T = value.to_string().parse().expect("its text");
    assert_eq!(again.to_string().parse::<T>().expect("its text"), again);
    again
}
