//! What the tests of the whole path share.
#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod alone;
pub(crate) mod normal;
pub(crate) mod orders;

use farkas::{Input, Optimized, Options, ReadOptions, Stays, kernels_of, optimize, read, splice};
use farkas_astgen::Ast;
use farkas_codegen::Target;
use farkas_interp::{
    Interleaving, Params, ast_order, execute, original_order, run_grid, tree_order,
};
use farkas_scop::{Region, Scop};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// How often a test tries: so often in the gate, so often where `FARKAS_TEST_FULL` is set, which takes more than an hour.
pub(crate) fn tries(in_the_gate: usize, in_full: usize) -> usize {
    if std::env::var_os("FARKAS_TEST_FULL").is_some() { in_full } else { in_the_gate }
}

/// The choice whose turn it is, in the gate; in full all of them, from that one on.
pub(crate) fn turns<T: Clone>(choices: &[T], turn: usize) -> impl Iterator<Item = T> {
    choices.iter().cloned().cycle().skip(turn % choices.len()).take(tries(1, choices.len()))
}

/// What comes of each item, two of them at a time.
pub(crate) fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let of_thread = || {
        let mut found = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return found };
            found.push((at, work(at, item)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let other = scope.spawn(of_thread);
        let mut all = of_thread();
        all.extend(other.join().expect("no panic"));
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, found)| found).collect()
}

/// The file with every region transformed as asked; a fallback to a simpler form is a failure.
pub(crate) fn transformed(input: &Input, options: &Options) -> Result<String, String> {
    let (mut replacements, mut kernels) = (Vec::new(), Vec::new());
    for region in &input.regions {
        let optimized = optimize(region, options).map_err(|error| error.to_string())?;
        if optimized.stays == Some(Stays::NotForDevice) {
            return Err(format!("{:?}", optimized.session.diagnostics));
        }
        kernels.extend(optimized.device.clone());
        if let Some(warning) = optimized.session.warnings.first() {
            return Err(format!("a fallback: {warning}"));
        }
        if let Some(bug) = optimized.session.noticed_bug() {
            return Err(bug.message.clone());
        }
        replacements.push((region.span, optimized.code));
    }
    if let Target::Device(language) = options.target {
        replacements.extend(kernels_of(&input.source, language, &kernels));
    }
    Ok(splice(&input.source, &replacements))
}

/// Whether the interpreter leaves the same memory after the scop's own order, the tree with concurrent iterations
/// interleaved, and the loops that are printed; else what differs.
pub(crate) fn regions_agree(
    region: &Region,
    optimized: &Optimized,
    params: &Params,
) -> Result<(), String> {
    let scop = &region.scop;
    let text = |error: farkas_interp::Error| error.to_string();
    let original = original_order(scop, params).map_err(text)?;
    let expected = execute(scop, params, &original).map_err(text)?;
    for interleaving in [Interleaving::Sequential, Interleaving::Parallel(1)] {
        let emitted = &optimized.scop;
        let tree = tree_order(emitted, &optimized.tree, params, interleaving);
        let loops = ast_order(emitted, &optimized.ast, params, interleaving);
        for (what, order) in [("tree", tree), ("loops", loops)] {
            let order = order.map_err(|error| format!("{what}: {error}"))?;
            // Where there are buffers, statements have other instances.
            if emitted == scop {
                original.check_same_instances(&order).map_err(|e| format!("{what}: {e}"))?;
            }
            let found = execute(emitted, params, &order).map_err(text)?;
            if let Some(mismatch) = expected.first_mismatch(&found, true) {
                return Err(format!("{what}, {interleaving:?}: {mismatch}"));
            }
        }
    }
    Ok(())
}

/// Whether the interpreter leaves the same memory after the scop's own order, and after kernels on a GPU, as each of `seeds` says; else what
/// differs, or what depends on luck.
pub(crate) fn kernels_agree(
    scop: &Scop,
    (emitted, ast): (&Scop, &Ast),
    params: &Params,
    seeds: std::ops::Range<u64>,
) -> Result<(), String> {
    let text = |error: farkas_interp::Error| error.to_string();
    let original = original_order(scop, params).map_err(text)?;
    let expected = execute(scop, params, &original).map_err(text)?;
    for seed in seeds {
        let found = run_grid(emitted, ast, params, seed).map_err(text)?;
        if emitted == scop {
            original.check_same_instances(&found.order).map_err(|error| error.to_string())?;
        }
        if let Some(mismatch) = expected.first_mismatch(&found.memory, true) {
            return Err(mismatch.to_string());
        }
    }
    Ok(())
}

/// The kernel at `path`, whose front end is told its sizes: those of a command line, or else its own.
pub(crate) fn with_sizes_told(path: &Path, sizes: Option<&str>) -> Input {
    let mut options = ReadOptions::default();
    let free = read(path, &options).expect("a kernel");
    let text = std::fs::read_to_string(path).expect("a text");
    let told = match sizes {
        Some(sizes) => in_order(&text).zip(sizes.split(' ').map(str::to_owned)).collect(),
        None => own_sizes(&text),
    };
    let params = free.regions.iter().flat_map(|region| region.scop.params().iter());
    let value = |name: &String| Some(format!("{name} = {}", told.get(name)?));
    let values: Vec<String> = params.filter_map(|param| value(&param.name)).collect();
    options.front.context = Some(values.join(" and "));
    read(path, &options).expect("a kernel")
}

/// The parameters of a kernel, in the order of its command line.
fn in_order(text: &str) -> impl Iterator<Item = String> {
    let call = text.split_once("read_sizes(").and_then(|(_, rest)| rest.split_once(';'));
    let list = call.and_then(|(call, _)| call.split_once("{&")).map_or("", |(_, list)| list);
    list.trim_end_matches("})").split(", &").map(str::to_owned)
}

/// The sizes that a kernel has by default, by the parameter.
fn own_sizes(text: &str) -> BTreeMap<String, String> {
    let define = |line: &str| -> Option<(String, String)> {
        let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
        Some((name.to_owned(), value.trim().to_owned()))
    };
    let defines: BTreeMap<String, String> = text.lines().filter_map(define).collect();
    let names = text.split_once("read_sizes(argc, argv, \"").and_then(|(_, r)| r.split_once('"'));
    let names = names.map_or("", |(names, _)| names).split(' ');
    let values = in_order(text).zip(names);
    values.filter_map(|(param, name)| Some((param, defines.get(name)?.clone()))).collect()
}
