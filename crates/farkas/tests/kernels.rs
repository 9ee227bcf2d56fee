//! Every program of `kernels/` in every form: the legality check accepts it, gcc compiles it without a warning, and it
//! prints the checksum of the original.
//!
//! `exact`: every two choices of tiling, fusion, flow and target, at small sizes, bit for bit, without contraction of `a * b + c`.
//! `strategies`: every other shipped strategy, tiled, tiles of rows, strips, the kernel's own, tile sizes chosen for a
//! machine, and what `auto` chooses for it, in the same way; half of them for each kernel, all where `FARKAS_TEST_FULL` is set.
//! `registers`: with register tiles and packed operands, where they fit, in the same way.
//! `told`: where the front end is told the sizes, bit for bit.
//! `contracted`: the default form as people build it (`-O3 -march=native`), within [`Kernel::tolerance`].
//! `exchanged`: by way of OpenSCoP, which is read back, brought into the default form and printed as C, bit for bit.
//! `opencl`: as kernels of a GPU, on whatever OpenCL device there is (PoCL is one), bit for bit where no function of the mathematics library
//! is called; once more on Oclgrind, where there is one, which finds no race and no access out of bounds. Where there is no device the original
//! runs; the gate has both, and says so by `FARKAS_TEST_OPENCL`.
//! `cuda`: as kernels in CUDA C++, which NVRTC compiles for two architectures without a warning where `FARKAS_TEST_NVRTC` names its library,
//! and nvcc, of a dozen, where `FARKAS_TEST_NVCC` names that: nothing spills.
//! `grids`: the interpreter runs these kernels as a GPU does and finds nothing that depends on which block or thread comes first.
//! `interpreted`: scop, tiled tree and its loops leave the same memory at tiny sizes.
//!
//! All but the last two are long: `cargo test -- --include-ignored` runs them, too.
//!
//! Forms that give the same text, but for the strategy's name in a comment, are compiled once.

mod common;

use common::{
    kernels_agree, regions_agree, repository, transformed, tries, turns, with_sizes_told,
};
use farkas::TileSizes;
use farkas::{Exchange, Input, Options, ReadOptions, Strategy, parse_openscop, read, splice};
use farkas::{Template, optimize, usual_gpu};
use farkas_base::{IdVec, SourceFile};
use farkas_codegen::{DeviceRegion, Language, Target, print_kernels};
use farkas_deps::FlowBy;
use farkas_front_openscop::Origin;
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_poly::{DimType, Map, UnionMap};
use farkas_run::{Build, Compiler, Executable, Exit, RunOptions, Tolerance, first_difference};
use farkas_schedule::FusionHeuristic;
use farkas_scop::{Access, AccessId, ArrayScope, Scop};
use farkas_transform::{CutBorders, GpuTiles, SplitIndexSets};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// A program and the command lines that it is tried with; one has sizes that tiles of 32 and of 5, 3, 4 do not divide,
/// another is smaller than any tile of 32.
struct Kernel {
    name: &'static str,
    sizes: &'static [&'static str],
    /// What the checksum may differ by when multiplications and additions are contracted.
    tolerance: f64,
}

/// For programs that compute with doubles, or with integers.
const DOUBLE: f64 = 1e-9;
/// For programs that compute with floats.
const FLOAT: f64 = 1e-4;

/// Declares each kernel once: the list of all, and its tests.
macro_rules! kernels {
    ($($test:ident: $name:literal $sizes:expr, $tolerance:expr;)*) => {
        const KERNELS: &[Kernel] =
            &[$(Kernel { name: $name, sizes: &$sizes, tolerance: $tolerance },)*];

        mod exact {
            $(#[test] #[ignore = "long"] fn $test() { super::check_exact($name); })*
        }

        mod strategies {
            $(#[test] #[ignore = "long"] fn $test() { super::check_strategies($name); })*
        }

        mod registers {
            $(#[test] #[ignore = "long"] fn $test() { super::check_registers($name); })*
        }

        mod told {
            $(#[test] #[ignore = "long"] fn $test() { super::check_told($name); })*
        }

        mod exchanged {
            $(#[test] #[ignore = "long"] fn $test() { super::check_exchanged($name); })*
        }

        mod contracted {
            $(#[test] #[ignore = "long"] fn $test() { super::check_contracted($name); })*
        }

        mod opencl {
            $(#[test] #[ignore = "long"] fn $test() { super::check_opencl($name); })*
        }

        mod cuda {
            $(#[test] #[ignore = "long"] fn $test() { super::check_cuda($name); })*
        }

        mod grids {
            $(#[test] fn $test() { super::check_grid($name); })*
        }

        mod interpreted {
            $(#[test] fn $test() { super::check_interpreted($name); })*
        }
    };
}

kernels! {
    k2mm: "2mm" ["37 41 35 39", "3 4 5 2"], DOUBLE;
    k3mm: "3mm" ["37 34 35 39 33", "3 4 5 2 6"], DOUBLE;
    adi: "adi" ["7 41", "2 5"], DOUBLE;
    advantage: "advantage" ["41 37", "3 5"], DOUBLE;
    advection: "advection" ["9 43", "2 5"], DOUBLE;
    atax: "atax" ["67 71", "3 5"], DOUBLE;
    attention: "attention" ["41 37", "5 3"], FLOAT;
    backsolve: "backsolve" ["71", "6"], DOUBLE;
    banded_mv: "banded-mv" ["9 71 6", "2 9 2"], DOUBLE;
    bicg: "bicg" ["67 71", "5 3"], DOUBLE;
    camera_pipe: "camera-pipe" ["21 19", "2 3"], FLOAT;
    cholesky: "cholesky" ["43", "6"], DOUBLE;
    conv_nhwc: "conv-nhwc" ["2 5 13 11 29 3", "1 2 3 4 5 2"], DOUBLE;
    conv2d: "conv2d" ["43 47 5", "7 6 3"], DOUBLE;
    correlation: "correlation" ["37 43", "4 6"], DOUBLE;
    covariance: "covariance" ["37 43", "4 6"], DOUBLE;
    deriche: "deriche" ["67 43", "5 4"], FLOAT;
    doitgen: "doitgen" ["11 13 37", "2 3 4"], DOUBLE;
    durbin: "durbin" ["71", "6"], DOUBLE;
    fdtd_2d: "fdtd-2d" ["9 37 43", "2 5 4"], DOUBLE;
    flip_sharpen: "flip-sharpen" ["43 37", "5 4"], FLOAT;
    floyd_warshall: "floyd-warshall" ["43", "6"], DOUBLE;
    fused_mul_sub: "fused-mul-sub" ["37", "5"], FLOAT;
    gated_unit: "gated-unit" ["37 41 35", "3 4 5"], DOUBLE;
    gemm: "gemm" ["43 37 41", "3 5 4"], DOUBLE;
    gemver: "gemver" ["71", "6"], DOUBLE;
    gesummv: "gesummv" ["71", "6"], DOUBLE;
    gramschmidt: "gramschmidt" ["5 37", "2 6"], DOUBLE;
    gray: "gray" ["43 37", "3 5"], DOUBLE;
    harris: "harris" ["43 47", "7 8"], DOUBLE;
    heat_3d: "heat-3d" ["5 23", "2 5"], DOUBLE;
    heat_ring: "heat-ring" ["9 43", "3 2"], DOUBLE;
    hmm_smoothing: "hmm-smoothing" ["17 37", "3 4"], DOUBLE;
    interpolate: "interpolate" ["9 7", "2 3"], FLOAT;
    jacobi_1d: "jacobi-1d" ["41 97", "3 6"], DOUBLE;
    jacobi_2d: "jacobi-2d" ["9 43", "2 5"], DOUBLE;
    lcs: "lcs" ["67 43", "5 4"], DOUBLE;
    linear_matmul: "linear-matmul" ["43 37 41", "3 5 4"], DOUBLE;
    lu_decomp: "lu-decomp" ["16 3", "37 1"], FLOAT;
    lu: "lu" ["43", "6"], DOUBLE;
    ludcmp: "ludcmp" ["43", "6"], DOUBLE;
    matrix_chain: "matrix-chain" ["43", "6"], DOUBLE;
    multigrid: "multigrid" ["4 20", "2 3"], DOUBLE;
    mvt: "mvt" ["71", "6"], DOUBLE;
    nussinov: "nussinov" ["43", "6"], DOUBLE;
    polymul: "polymul" ["71", "6"], DOUBLE;
    pyramid_blending: "pyramid-blending" ["9 11", "2 3"], FLOAT;
    red_black: "red-black" ["9 43", "2 5"], DOUBLE;
    seidel_2d: "seidel-2d" ["9 43", "2 5"], DOUBLE;
    sliding_dot: "sliding-dot" ["43 6", "6 2"], DOUBLE;
    symm: "symm" ["37 43", "4 6"], DOUBLE;
    syr2k: "syr2k" ["37 43", "4 6"], DOUBLE;
    syrk: "syrk" ["37 43", "4 6"], DOUBLE;
    tensor_contraction: "tensor-contraction" ["7 6", "2 3"], DOUBLE;
    thomas: "thomas" ["37 43", "4 6"], DOUBLE;
    trinv: "trinv" ["43", "6"], DOUBLE;
    trisolv: "trisolv" ["71", "6"], DOUBLE;
    trmm: "trmm" ["37 43", "4 6"], DOUBLE;
    trsml_off_diag: "trsml-off-diag" ["16 112 2", "5 40 1"], FLOAT;
    trsmu_transpose: "trsmu-transpose" ["48 16 2", "5 7 1"], FLOAT;
    two_layouts: "two-layouts" ["100 10", "43 37"], FLOAT;
    udu: "udu" ["43", "6"], DOUBLE;
    unsharp: "unsharp" ["43 37", "7 6"], FLOAT;
    variogram: "variogram" ["71", "6"], DOUBLE;
}

#[test]
fn every_program_of_the_folder_is_tried() {
    let names: Vec<String> = KERNELS.iter().map(|kernel| format!("{}.c", kernel.name)).collect();
    let mut found: Vec<String> = std::fs::read_dir(repository().join("kernels"))
        .expect("the folder of kernels")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".c"))
        .collect();
    found.sort();
    assert_eq!(names, found);
}

#[test]
fn every_kernel_of_polybench_has_its_strategy() {
    let folder = repository().join("strategies/kernels");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of strategies")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found.len(), 30);
    let is_kernel = |file: &&String| {
        KERNELS.iter().any(|kernel| file.strip_suffix(".json") == Some(kernel.name))
    };
    assert_eq!(found.iter().filter(is_kernel).count(), 30, "{found:?}");
}

/// Forms in which every two choices of tiles, fusion, flow and target meet, each with what the command line would say.
fn forms() -> Vec<(String, Options)> {
    let tiles: [(&str, &[&[i64]]); 4] = [
        ("--no-tile", &[]),
        ("--tile-sizes 5,3,4", &[&[5, 3, 4]]),
        ("--tile-sizes 32", &[&[32]]),
        ("--tile-sizes 8,12:4,3", &[&[8, 12], &[4, 3]]),
    ];
    let fusions = [
        ("smart", FusionHeuristic::Smart),
        ("max", FusionHeuristic::Max),
        ("no", FusionHeuristic::No),
        ("cluster", FusionHeuristic::Cluster),
    ];
    let (openmp, c) = (("openmp", Target::OpenMp), ("c", Target::C));
    let (value, memory) = (("value", FlowBy::Value), ("memory", FlowBy::Memory));
    let others = [(value, openmp), (memory, openmp), (value, c), (memory, c)];
    let mut forms = Vec::new();
    for (t, (tile_words, levels)) in tiles.into_iter().enumerate() {
        let levels = levels.iter().map(|level| level.to_vec()).collect();
        let tile = TileSizes::new(levels).expect("positive sizes");
        for (f, (fuse, fusion)) in fusions.into_iter().enumerate() {
            // In the gate a Latin square: each pair of a flow and a target once beside each choice of tiles, and of fusion.
            for ((deps, flow), (name, target)) in turns(&others, t ^ f) {
                let words = format!("{tile_words} --fuse {fuse} --deps {deps} --target {name}");
                let template = Template::default().tiled(tile.clone()).tiled_for_reuse(false);
                let options = Options { flow, target, template, ..Options::default() };
                forms.push((words, Options { fusion: Some(fusion), ..options }));
            }
        }
    }
    forms
}

/// Every shipped strategy that `exact` does not try, with tiles; the other choices of theirs that `exact` does not make.
fn strategy_forms() -> Vec<(String, Options)> {
    let tiles = [
        ("--tile-sizes 5,3,4", TileSizes::new(vec![vec![5, 3, 4]]).expect("positive sizes")),
        ("--no-tile", TileSizes::none()),
    ];
    let is_other = |name: &&str| !matches!(*name, "pluto" | "original");
    let names: Vec<&str> = Strategy::names().into_iter().filter(is_other).collect();
    assert!(names.len() >= 6, "{names:?}");
    let mut forms = Vec::new();
    for name in names {
        let strategy = Strategy::from_name(name).expect("a strategy");
        for (words, tile) in turns(&tiles, 0) {
            let template = Template::default().tiled_for_reuse(false).tiled(tile);
            let (words, strategy) = (format!("--strategy {name} {words}"), strategy.clone());
            forms.push((words, Options { strategy, template, ..Options::default() }));
        }
    }
    let split = Options {
        template: Template::default()
            .tiled(TileSizes::none())
            .with(SplitIndexSets {})
            .with(CutBorders {}),
        ..Options::default()
    };
    forms.push(("--no-tile --split-index-sets, borders cut".to_owned(), split));
    let in_fours = TileSizes::new(vec![vec![4]]).expect("a positive size");
    let split = Options {
        strategy: Strategy::PlutoDeep,
        template: Template::default().with_split_tiles(),
        ..Options::default()
    };
    let split =
        Options { template: split.template.tiled(in_fours).tiled_for_reuse(false), ..split };
    forms.push(("--strategy pluto-deep --split-tiles --tile-sizes 4".to_owned(), split));
    let one_core = Machine { cores: 1, ..Machine::generic() };
    let words = "--strategy auto --machine (of one core)".to_owned();
    let auto = Options { strategy: Strategy::Auto, machine: one_core, ..Options::default() };
    forms.push((words, auto));
    for (name, machine) in [("x86-64-v3", Machine::generic()), ("tiny", tiny())] {
        let words = format!("--tile-sizes auto --machine {name}");
        let asked =
            Options { template: Template::default().tiled_for_reuse(false), ..Options::default() };
        let machine_only = Options { machine: machine.clone(), ..Options::default() };
        forms.push((
            words,
            Options { machine, template: asked.template.tiled(TileSizes::auto()), ..asked },
        ));
        let words = format!("--strategy auto --machine {name}");
        forms.push((words, Options { strategy: Strategy::Auto, ..machine_only }));
    }
    forms
}

/// Recurrences side by side, with what else there is; temporaries with places of their own.
fn strip_forms() -> Vec<(String, Options)> {
    let fusions = [("", None), (" --fuse max", Some(FusionHeuristic::Max))];
    let targets = [("openmp", Target::OpenMp), ("c", Target::C)];
    let mut forms = Vec::new();
    for (at, (words, fusion)) in fusions.into_iter().enumerate() {
        let template = Template::default().with_register_tiles();
        let expanded = Options { expand: true, fusion, template, ..Options::default() };
        forms.push((format!("--expand --register-tiles{words}"), expanded));
        for (name, target) in turns(&targets, at) {
            let template = Template::default().with_strips();
            let strips = Options { fusion, target, template, ..Options::default() };
            forms.push((format!("--strips{words} --target {name}"), strips));
        }
    }
    forms
}

/// Tiles of rows where they fit, of sizes of the tool's and small ones.
fn row_tile_forms() -> Vec<(String, Options)> {
    let own = Template::default().with_row_tiles();
    let tile = TileSizes::new(vec![vec![3, 5, 4]]).expect("positive sizes");
    let small = own.clone().tiled(tile).tiled_for_reuse(false);
    let targets = [("openmp", Target::OpenMp), ("c", Target::C)];
    let mut forms = Vec::new();
    for (at, (words, template)) in
        [("", own), (" --tile-sizes 3,5,4", small)].into_iter().enumerate()
    {
        for (name, target) in turns(&targets, at) {
            let words = format!("--time-tiles rows{words} --target {name}");
            let template = template.clone();
            forms.push((words, Options { target, template, ..Options::default() }));
        }
    }
    forms
}

/// A machine whose tiles are smaller than the kernels' sizes here.
fn tiny() -> Machine {
    let mut machine = Machine { name: "tiny".into(), cores: 1, ..Machine::generic() };
    machine.caches.iter_mut().for_each(|cache| cache.size_bytes >>= 7);
    machine
}

/// The strategy that `farkas explore` found for a kernel, if one is shipped.
fn own_form(name: &str) -> Option<(String, Options)> {
    let words = format!("strategies/kernels/{name}.json");
    let path = repository().join(&words);
    let strategy = path.exists().then(|| Strategy::from_file(&path).expect("a strategy"))?;
    let options = match &strategy {
        Strategy::File(file) => Options::default().with_file(file),
        _ => Options::default(),
    };
    Some((words, Options { strategy, ..options }))
}

/// Loops over rows are vectorised by gcc, every one that is marked, and what it has to compile is short.
#[test]
fn rows_are_vectorised() {
    let compiler = "gcc -O2 -fopenmp -fopt-info-vec-optimized -Ikernels -lm -o /dev/null";
    for name in ["jacobi-1d", "jacobi-2d", "heat-3d", "fdtd-2d", "red-black"] {
        let input = read(&path_of(kernel(name)), &ReadOptions::default()).expect("a readable file");
        let rows = Options { template: Template::default().with_row_tiles(), ..Options::default() };
        let text = transformed(&input, &rows).expect("a result");
        assert!(text.lines().count() < 150, "{name}");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("rows.c");
        std::fs::write(&file, &text).expect("a file");
        let mut words = compiler.split_whitespace();
        let output = std::process::Command::new(words.next().expect("a compiler"))
            .args(words)
            .arg(&file)
            .current_dir(repository())
            .output()
            .expect("gcc runs");
        let told = String::from_utf8_lossy(&output.stderr);
        let marked = text.lines().enumerate().filter(|(_, line)| line.contains("omp simd"));
        let mut n = 0;
        for (at, _) in marked {
            // gcc names the line of the loop or that of its body.
            let places = [at + 2, at + 3].map(|line| format!("rows.c:{line}:"));
            let is_vectorised = |line: &str| {
                places.iter().any(|place| line.contains(place)) && line.contains("loop vectorized")
            };
            assert!(told.lines().any(is_vectorised), "{name}, line {}:\n{told}\n{text}", at + 2);
            n += 1;
        }
        assert!(n > 0, "{name} has no marked loop:\n{text}");
    }
}

/// What compiles the forms that are compared bit for bit.
const EXACT: &str = "gcc -Wall -Wextra -Werror -fopenmp -O1 -ffp-contract=off";

/// These forms print the checksum of the original, bit for bit.
fn check_exact(name: &str) {
    check(name, EXACT, &forms(), Tolerance::EXACT);
}

/// What strategies make prints the checksum of the original, bit for bit.
fn check_strategies(name: &str) {
    let forms = strategy_forms().into_iter().chain(row_tile_forms());
    let forms = forms.chain(strip_forms()).chain(own_form(name));
    // In the gate each kernel has every second form, and its neighbours in the list have the others.
    let first = KERNELS.iter().position(|kernel| kernel.name == name).unwrap_or_default();
    let forms: Vec<_> = forms.skip(tries(first % 2, 0)).step_by(tries(2, 1)).collect();
    check(name, EXACT, &forms, Tolerance::EXACT);
}

/// Nests with register tiles, for the blocks of a large machine and of a tiny one, which has several of each.
fn check_registers(name: &str) {
    let mut forms = Vec::new();
    for (name, machine) in [("generic", Machine::generic()), ("tiny", tiny())] {
        // In the gate each fusion with each machine, and each target with each of both.
        let targets = [("openmp", Target::OpenMp), ("c", Target::C)];
        let fusions = [("smart", FusionHeuristic::Smart), ("no", FusionHeuristic::No)];
        for (at, (words, fusion)) in fusions.into_iter().enumerate() {
            for (to, target) in turns(&targets, at + usize::from(name == "tiny")) {
                let words = format!("--register-tiles ({name}) --fuse {words} --target {to}");
                let (machine, template) =
                    (machine.clone(), Template::default().with_register_tiles());
                let options = Options { machine, target, template, ..Options::default() };
                forms.push((words, Options { fusion: Some(fusion), ..options }));
            }
        }
    }
    let input = read(&path_of(kernel(name)), &ReadOptions::default()).expect("a readable file");
    let has_buffers = |(_, options): &(String, Options)| {
        input.regions.iter().any(|region| {
            let optimized = optimize(region, options).expect("code");
            optimized.scop.arrays().iter().any(|array| array.scope == ArrayScope::Buffer)
        })
    };
    forms.retain(has_buffers);
    let is_expected = SUMS_OF_PRODUCTS.contains(&name);
    assert!(!forms.is_empty() || !is_expected, "{name} has no register tiles");
    check(name, EXACT, &forms, Tolerance::EXACT);
}

/// What is made of a kernel whose sizes are known prints the checksum of the original at these sizes, bit for bit.
fn check_told(name: &str) {
    let names = ["auto", "pluto", "feautrier"];
    let forms = names.map(|name| {
        let strategy = Strategy::from_name(name).expect("a strategy");
        (format!("--context (sizes) --strategy {name}"), Options { strategy, ..Options::default() })
    });
    let kernel = kernel(name);
    let sizes = &kernel.sizes[..1];
    let input = with_sizes_told(&path_of(kernel), sizes.first().copied());
    // Bounds are numbers where they were parameters of the function.
    let compiler = format!("{EXACT} -Wno-unused-parameter");
    check_input(&Kernel { sizes, ..*kernel }, &input, &compiler, &forms, Tolerance::EXACT);
}

/// Kernels that register tiles must fit.
const SUMS_OF_PRODUCTS: &[&str] = &[
    "2mm",
    "3mm",
    "atax",
    "banded-mv",
    "bicg",
    "cholesky",
    "conv-nhwc",
    "correlation",
    "covariance",
    "gated-unit",
    "gemm",
    "gemver",
    "gesummv",
    "linear-matmul",
    "lu",
    "lu-decomp",
    "mvt",
    "symm",
    "syr2k",
    "syrk",
    "tensor-contraction",
    "trmm",
];

/// The form that `auto` chooses, optimised and contracted by the C compiler, prints nearly the checksum of the original.
fn check_contracted(name: &str) {
    let kernel = kernel(name);
    let tolerance = Tolerance::relative(kernel.tolerance);
    let options = Options { strategy: Strategy::Auto, ..Options::default() };
    let forms = [("(defaults)".to_owned(), options)];
    // gcc 12 makes copies of partial tiles calls of memcpy, and then suspects them of reading or writing beyond the tile.
    let compiler = "gcc -fopenmp -O3 -march=native -Wno-stringop-overread -Wno-stringop-overflow";
    check(name, compiler, &forms, tolerance);
}

/// Written as OpenSCoP and read again, the regions mean the same; code and scatterings made from the document do, too.
fn check_exchanged(name: &str) {
    let kernel = kernel(name);
    let compiler: Compiler =
        "gcc -w -fopenmp -O1 -ffp-contract=off".parse().expect("a command line");
    let input = read(&path_of(kernel), &ReadOptions::default()).expect("a readable file");
    let exchange = Exchange::of_regions(&input).expect("a document");
    let text = exchange.document.to_string();
    let (again, mut document) =
        parse_openscop(&Arc::new(SourceFile::new("kernel.scop", text))).expect("OpenSCoP");
    assert_eq!(document.document, exchange.document);
    assert_eq!(again.diagnostics, []);
    let mut replacements = Vec::new();
    for (at, (region, other)) in input.regions.iter().zip(&again.regions).enumerate() {
        let links = [exchange.origin(at), document.origin(at)].map(|o| o.expect("a link"));
        same_meaning(&region.scop, &other.scop, links);
        let optimized = optimize(other, &Options::default()).expect("a result");
        document.reschedule(at, &other.scop, &optimized.tree).expect("legal scatterings");
        // A document has no declarations.
        let own = region.scop.arrays().iter().filter_map(|a| a.declaration.clone());
        let code = own.chain([optimized.code]).collect::<Vec<_>>().join("\n");
        replacements.push((region.span, code));
    }
    let original = compile(&compiler, kernel, input.source.text()).expect("the original compiles");
    let outputs = kernel.sizes.iter().map(|s| run(&original, s).expect("the original runs"));
    let expected: Vec<String> = outputs.collect();
    compile(&compiler, kernel, &splice(&input.source, &replacements))
        .and_then(|program| same_outputs(&program, kernel, &expected, Tolerance::EXACT))
        .unwrap_or_else(|reason| panic!("{reason}"));
}

/// That two scops with instances in common, by way of a document, have the same domains, order and accesses.
fn same_meaning(scop: &Scop, other: &Scop, [first, second]: [&Origin; 2]) {
    let link = |(a, b): (&Map, &Map)| {
        let to = a.reverse()?.with_tuple_name(DimType::Out, "document")?;
        to.apply_range(&b.with_tuple_name(DimType::In, "document")?)
    };
    let links: Vec<Map> =
        first.instances.iter().zip(&second.instances).map(|p| link(p).expect("a map")).collect();
    let stmts = scop.stmts().iter().zip(other.stmts()).zip(&links);
    let mut all = Vec::new();
    for ((a, b), link) in stmts {
        let image = a.domain.intersect_params(scop.context()).and_then(|d| d.apply(link));
        let domain = b.domain.intersect_params(other.context()).expect("a domain");
        assert!(image.expect("an image").is_equal(&domain).expect("an answer"), "{}", a.name);
        let touched = |accesses: &IdVec<AccessId, Access>, link: Option<&Map>| -> Vec<Map> {
            let maps = accesses.iter().map(|access| {
                let map = access.relation.with_tuple_name(DimType::Out, "element")?;
                link.map_or_else(|| Ok(map.clone()), |link| map.apply_domain(link))?
                    .intersect_domain(&domain)
            });
            maps.collect::<farkas_poly::Result<_>>().expect("accesses")
        };
        let (before, after) = (touched(&a.accesses, Some(link)), touched(&b.accesses, None));
        assert_eq!(before.len(), after.len(), "{}", a.name);
        for (x, y) in before.iter().zip(&after) {
            assert!(x.is_equal(y).expect("an answer"), "{}: {x} and {y}", a.name);
        }
        all.push(link.clone());
    }
    let all = UnionMap::union_all(all).expect("a union");
    let pairs =
        |scop: &Scop| scop.order().and_then(|dates| dates.lex_lt_union_map(&dates)).expect("pairs");
    let moved = pairs(scop).apply_domain(&all).and_then(|p| p.apply_range(&all)).expect("pairs");
    assert!(moved.is_equal(&pairs(other)).expect("an answer"), "another order");
}

/// The interpreter agrees where every parameter is 5, with tiles that are smaller.
fn check_interpreted(name: &str) {
    let input = read(&path_of(kernel(name)), &ReadOptions::default()).expect("a readable file");
    let tile = TileSizes::new(vec![vec![2, 3]]).expect("positive sizes");
    let options = Options { template: Template::default().tiled(tile), ..Options::default() };
    for region in &input.regions {
        let optimized = optimize(region, &options).expect("a result");
        let params = Params::all(&region.scop, 5);
        regions_agree(region, &optimized, &params).unwrap_or_else(|message| panic!("{message}"));
    }
}

/// The interpreter agrees on the kernels of a GPU where every parameter is 5, or 3 in the deepest nests, whatever blocks and threads come first.
fn check_grid(name: &str) {
    let input = read(&path_of(kernel(name)), &ReadOptions::default()).expect("a readable file");
    let strategy = Strategy::from_name("locality-gpu").expect("a strategy");
    let options = Options { strategy, ..Options::default() }
        .on_device(Language::OpenCl, usual_gpu(Language::OpenCl));
    let two = PRODUCTS.contains(&name).then(|| with_two_buffers(&options, Some(2)));
    for (region, options) in
        input.regions.iter().flat_map(|region| [Some(&options), two.as_ref()].map(|o| (region, o)))
    {
        let Some(options) = options else { continue };
        let optimized = optimize(region, options).expect("a result");
        let depth = region.scop.stmts().iter().map(farkas_scop::Statement::depth).max();
        let params = Params::all(&region.scop, if depth > Some(5) { 3 } else { 5 });
        kernels_agree(&region.scop, (&optimized.scop, &optimized.ast), &params, 0..2)
            .unwrap_or_else(|message| panic!("{message}"));
    }
}

/// Kernels with products whose operands are shared, which have two buffers each in another form.
const PRODUCTS: [&str; 6] = ["gemm", "2mm", "syrk", "trmm", "doitgen", "tensor-contraction"];

/// The same options with two buffers for each operand, of so many steps of a sum.
fn with_two_buffers(options: &Options, depth: Option<u16>) -> Options {
    let depth = depth.and_then(NonZero::new);
    let tiles =
        GpuTiles { threads: None, sums: None, depth, buffers: NonZero::new(2), tensor: false };
    options.clone().with_template(|template| template.with(tiles))
}

/// What the kernels of a GPU compute prints the checksum of the original.
fn check_opencl(name: &str) {
    let kernel = kernel(name);
    // What OpenCL says of `expf` is less than what C libraries do.
    let calls = ["attention"].contains(&name);
    let tolerance = if calls { Tolerance::relative(1e-6) } else { Tolerance::EXACT };
    let compiler = "gcc -Wall -Wextra -Werror -O1 -ffp-contract=off -DFARKAS_FP_CONTRACT=0";
    let mut forms: Vec<(String, Options)> = ["locality-gpu", "pluto"]
        .into_iter()
        .map(|name| {
            let strategy = Strategy::from_name(name).expect("a strategy");
            let options = Options { strategy, ..Options::default() }
                .on_device(Language::OpenCl, usual_gpu(Language::OpenCl));
            (format!("--target opencl --strategy {name}"), options)
        })
        .collect();
    if PRODUCTS.contains(&name) {
        let two = with_two_buffers(&forms[0].1, None);
        forms.push(("--target opencl with two buffers".to_owned(), two));
    }
    check(name, compiler, &forms, tolerance);
    let input = read(&path_of(kernel), &ReadOptions::default()).expect("a readable file");
    for (words, options) in &forms {
        let text = transformed(&input, options).expect("code");
        let program = compile(&compiler.parse().expect("a command line"), kernel, &text);
        let program = program.expect("a program");
        let told = told_on(&program, kernel, Vec::new());
        let has_device = !told.contains("no device");
        let is_gate = std::env::var_os("FARKAS_TEST_OPENCL").is_some();
        assert!(has_device || !is_gate, "{told}");
        assert!(!has_device || told.contains("OpenCL: copied in"), "{name} {words}: {told}");
        let Some(driver) = oclgrind() else {
            assert!(!is_gate, "Oclgrind is not there");
            continue;
        };
        let races = ("OCLGRIND_DATA_RACES".to_owned(), "1".to_owned());
        let told = told_on(&program, kernel, vec![races, ("OCL_ICD_VENDORS".to_owned(), driver)]);
        assert!(told.contains("OpenCL: copied in"), "{name} {words}: {told}");
        for fault in ["race", "Invalid", "divergence"] {
            assert!(!told.contains(fault), "{name} {words}: {told}");
        }
    }
}

/// NVRTC, and nvcc, compile the CUDA text of a kernel's regions, under two strategies.
fn check_cuda(name: &str) {
    let input = read(&path_of(kernel(name)), &ReadOptions::default()).expect("a readable file");
    let nvrtc = std::env::var_os("FARKAS_TEST_NVRTC");
    let nvcc = std::env::var_os("FARKAS_TEST_NVCC").filter(|_| BY_NVCC.contains(&name));
    let two = PRODUCTS.contains(&name).then_some(("locality-gpu", true));
    for (strategy, has_two) in [("locality-gpu", false), ("pluto", false)].into_iter().chain(two) {
        let options = Strategy::from_name(strategy).expect("a strategy");
        let options = Options { strategy: options, ..Options::default() };
        let options = options.on_device(Language::Cuda, usual_gpu(Language::Cuda));
        let options = if has_two { with_two_buffers(&options, None) } else { options };
        let regions: Vec<DeviceRegion> = input
            .regions
            .iter()
            .map(|region| optimize(region, &options).expect("a result"))
            .map(|optimized| optimized.device.expect("kernels"))
            .collect();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("kernels.cu");
        std::fs::write(&file, print_kernels(Language::Cuda, &regions)).expect("a file");
        if let Some(library) = &nvrtc {
            let driver = folder.path().join("nvrtc");
            let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/nvrtc.c");
            let built = Command::new("cc").arg(source).arg("-o").arg(&driver).arg("-ldl").status();
            assert!(built.expect("a compiler").success());
            told_by(Command::new(&driver).arg(library).arg(&file).args(["sm_80", "sm_90"]));
        }
        if let Some(nvcc) = &nvcc {
            for architecture in ["sm_80", "sm_90"] {
                let mut command = Command::new(nvcc);
                command.args(["-cubin", "-Werror", "all-warnings", "-Xptxas", "-v", "-arch"]);
                command.arg(architecture).arg(&file).arg("-o").arg(folder.path().join("cubin"));
                let told = told_by(&mut command);
                let used = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads";
                let n_kernels = told.matches("bytes stack frame").count();
                assert!(n_kernels > 0, "{told}");
                assert_eq!(told.matches(used).count(), n_kernels, "{name} {strategy}: {told}");
            }
        }
    }
}

/// Kernels whose CUDA text nvcc compiles: products, stencils, triangles, sums, and what needs many registers.
const BY_NVCC: [&str; 12] = [
    "gemm",
    "2mm",
    "syrk",
    "trmm",
    "doitgen",
    "tensor-contraction",
    "conv-nhwc",
    "gated-unit",
    "lu",
    "jacobi-2d",
    "heat-3d",
    "gramschmidt",
];

/// What a command says, which succeeds without a warning.
fn told_by(command: &mut Command) -> String {
    let run = command.output().expect("it runs");
    let told = String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned();
    assert!(run.status.success() && !told.contains("warning"), "{command:?}: {told}");
    told
}

/// What a program says of its kernels at the kernel's first sizes, in this environment.
fn told_on(
    program: &Executable,
    kernel: &Kernel,
    mut environment: Vec<(String, String)>,
) -> String {
    environment.push(("FARKAS_VERBOSE".to_owned(), "1".to_owned()));
    let arguments = kernel.sizes[0].split(' ').map(str::to_owned).collect();
    let choice = RunOptions { arguments, environment, ..RunOptions::default() };
    program.run(&choice).expect("it runs").stderr
}

/// A file that names Oclgrind, an OpenCL device that looks for races and accesses out of bounds, where there is one.
fn oclgrind() -> Option<String> {
    let folder = PathBuf::from("/usr/lib/oclgrind");
    let library = folder.join("liboclgrind-rt-icd.so").to_str()?.to_owned();
    std::fs::exists(&library).ok()?.then_some(())?;
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oclgrind.icd");
    std::fs::write(&file, library).ok()?;
    file.to_str().map(str::to_owned)
}

fn kernel(name: &str) -> &'static Kernel {
    KERNELS.iter().find(|kernel| kernel.name == name).expect("a kernel of the list")
}

/// Transforms the kernel in each of `forms`, compiles each different text once, and compares what it prints with the
/// original; fails with all that is wrong.
fn check(name: &str, compiler: &str, forms: &[(String, Options)], tolerance: Tolerance) {
    let kernel = kernel(name);
    let input = read(&path_of(kernel), &ReadOptions::default()).expect("a readable file");
    check_input(kernel, &input, compiler, forms, tolerance);
}

/// [`check`] of a kernel that was read.
fn check_input(
    kernel: &Kernel,
    input: &Input,
    compiler: &str,
    forms: &[(String, Options)],
    tolerance: Tolerance,
) {
    let name = kernel.name;
    let compiler: Compiler = compiler.parse().expect("a command line");
    assert!(!input.has_errors() && !input.regions.is_empty(), "{:?}", input.diagnostics);
    let original = compile(&compiler, kernel, input.source.text()).expect("the original compiles");
    let expected: Vec<String> = kernel
        .sizes
        .iter()
        .map(|sizes| run(&original, sizes).expect("the original runs"))
        .collect();
    assert!(expected.iter().all(|text| is_finite_checksum(text)), "{expected:?}");
    let mut failures = String::new();
    let fail = |failures: &mut String, words: &[&str], reason: String| {
        let _ = writeln!(failures, "{name} {}:\n{reason}\n", words.join("\nor "));
    };
    let (texts, refused) = texts(input, forms);
    for (words, reason) in refused {
        fail(&mut failures, &[words], reason);
    }
    for (text, words) in texts {
        let result = compile(&compiler, kernel, &text)
            .and_then(|program| same_outputs(&program, kernel, &expected, tolerance));
        if let Err(reason) = result {
            fail(&mut failures, &words, reason);
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// A form that gave no text, and why.
type Refusal<'a> = (&'a str, String);

/// The different texts that the forms give, each with the forms that give it, and the forms that give none; without the
/// name of the strategy in the heading comment.
fn texts<'a>(
    input: &Input,
    forms: &'a [(String, Options)],
) -> (BTreeMap<String, Vec<&'a str>>, Vec<Refusal<'a>>) {
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut refused = Vec::new();
    for (words, options) in forms {
        match transformed(input, options) {
            Ok(text) => {
                let heading = format!("farkas: strategy {}, ", options.strategy.name());
                texts.entry(text.replace(&heading, "farkas: ")).or_default().push(words);
            }
            Err(reason) => refused.push((words.as_str(), reason)),
        }
    }
    (texts, refused)
}

/// Whether the program prints what is expected at each of the kernel's sizes.
fn same_outputs(
    program: &Executable,
    kernel: &Kernel,
    expected: &[String],
    tolerance: Tolerance,
) -> Result<(), String> {
    for (sizes, expected) in kernel.sizes.iter().zip(expected) {
        let found = run(program, sizes)?;
        if let Some(difference) = first_difference(expected, &found, tolerance) {
            return Err(format!("with sizes {sizes}: {difference}"));
        }
    }
    Ok(())
}

/// Where the kernel's source is.
fn path_of(kernel: &Kernel) -> PathBuf {
    repository().join("kernels").join(format!("{}.c", kernel.name))
}

/// The program of a text, or the compiler's messages.
fn compile(compiler: &Compiler, kernel: &Kernel, text: &str) -> Result<Executable, String> {
    let folder = repository().join("kernels");
    let flags = ["-iquote".to_owned(), folder.display().to_string()];
    let build = Build::text(format!("{}.c", kernel.name), text).flags(flags);
    let executable = compiler.compile(&build).map_err(|error| match error.note() {
        Some(note) => format!("{error}\n{note}"),
        None => error.to_string(),
    })?;
    match executable.messages() {
        "" => Ok(executable),
        messages => Err(format!("the compiler warns:\n{messages}")),
    }
}

/// What the program prints with these arguments, or how else it ended. Threads that wait do not spin, since the tests
/// run beside each other.
fn run(program: &Executable, sizes: &str) -> Result<String, String> {
    let mut options = RunOptions {
        arguments: sizes.split(' ').map(str::to_owned).collect(),
        ..RunOptions::default()
    };
    options.environment.push(("OMP_WAIT_POLICY".into(), "passive".into()));
    let output = program.run(&options.threads(3)).map_err(|error| error.to_string())?;
    match output.exit {
        Exit::Code(0) => Ok(output.stdout),
        exit => Err(format!("with sizes {sizes}: {exit}\n{}", output.stderr)),
    }
}

/// Whether the output is a checksum that can show a difference.
fn is_finite_checksum(output: &str) -> bool {
    let decimal = output.trim_end().rsplit(' ').next().unwrap_or("");
    output.starts_with("checksum ")
        && decimal.parse::<f64>().is_ok_and(|value| value.is_finite() && value != 0.0)
}
