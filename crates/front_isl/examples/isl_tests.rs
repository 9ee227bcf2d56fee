//! isl's own tests of its scheduler: `cargo run -p farkas-front-isl --example isl_tests -- FOLDER [NAME…]`.
//!
//! Each `NAME.sc` of the folder is scheduled by the strategy `isl`, with and without isl's `whole-component` and under the
//! options that its line `# OPTIONS:` names, is checked against its constraints, and the tree is compared with `NAME.st` as
//! isl's `schedule_cmp` does, except that the children of a set node may come in any order. With names, the trees that
//! differ are printed.
//!
//! Of the 21 files that isl has in 2026, both ways, 40 of 42 runs are equal. The other is `leyin2b`, which has the same loops:
//! statements that nothing orders within a sequence come in the order of the text, in isl in that of a hash table.
#![allow(clippy::print_stdout, reason = "a table for people")]

use farkas::constraints::{check, over_written_domain, relations};
use farkas_base::SourceFile;
use farkas_deps::Verdict;
use farkas_front_isl::{Constraint, Lowered, read_constraints};
use farkas_poly::{DimType, IslSchedule, Set, Space};
use farkas_schedule::{FusionHeuristic, Isl, IslOptions, ScheduleOptions, schedule_relations};
use farkas_tree::{Node, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("which folder holds the *.sc files?")?;
    let wanted: Vec<String> = args.collect();
    let entries = std::fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "sc"));
    paths.retain(|path| wanted.is_empty() || wanted.contains(&name(path)));
    paths.sort();
    let mut counts = [0; 4];
    for path in &paths {
        // isl runs each file with both, too; the file's own options come after.
        for flag in ["--schedule-whole-component", "--no-schedule-whole-component"] {
            let (place, verdict, note) = match run(path, flag, !wanted.is_empty()) {
                Ok(Outcome { is_equal: true, note, .. }) => (0, "equal", note),
                Ok(Outcome { has_same_loops: true, note, .. }) => (1, "same loops", note),
                Ok(Outcome { note, .. }) => (2, "differs", note),
                Err(error) => (3, "FAILED", error.to_string()),
            };
            counts[place] += 1;
            println!("{:<28} {:<16} {verdict:<11} {note}", name(path), short(flag));
        }
    }
    let [equal, same, differ, failed] = counts;
    println!(
        "{} runs: {equal} equal, {same} with the same loops for each statement, {differ} differ, {failed} failed",
        2 * paths.len()
    );
    Ok(())
}

/// A flag without what all have.
fn short(flag: &str) -> String {
    flag.replace("--", "").replace("schedule-", "")
}

/// What came of a file.
struct Outcome {
    /// isl's own comparison.
    is_equal: bool,
    /// Whether each statement has the same functions in its loops, outermost first, whatever bands and sequences they are
    /// in.
    has_same_loops: bool,
    note: String,
}

/// A file's name without its extension.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Schedules, checks and compares.
fn run(path: &Path, flag: &str, is_shown: bool) -> Result<Outcome, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let flags =
        text.lines().find_map(|line| line.split_once("OPTIONS:")).map_or("", |(_, flags)| flags);
    let (options, unknown) = options(&format!("{flag} {flags}"));
    let source = Arc::new(SourceFile::new(name(path), &text));
    let lowered = read_constraints(&source, "test").map_err(|d| farkas_base::render(&d, false))?;
    let mut strategy = Isl::new(options);
    let pairs = as_written(&lowered)?;
    let start = std::time::Instant::now();
    let scheduled = schedule_relations(
        &lowered.scop,
        &relations(&pairs)?,
        &mut strategy,
        &ScheduleOptions::default(),
    )?;
    let time = start.elapsed();
    let verdict = check(&lowered.scop, &scheduled.tree, &lowered.constraints)?;
    if let Verdict::Illegal(found) = verdict {
        println!("{}", scheduled.tree);
        return Err(format!("illegal: {found}").into());
    }
    let expected: ScheduleTree = std::fs::read_to_string(path.with_extension("st"))?.parse()?;
    let tree = over_written_domain(&lowered.scop, scheduled.tree)?;
    // Through the text, as isl's own comparison.
    let comparable = |tree: &ScheduleTree| sets_sorted(tree)?.to_string().parse::<IslSchedule>();
    let is_equal = comparable(&tree)?.plain_is_equal(&comparable(&expected)?)?;
    let has_same_loops = loops(&tree)? == loops(&expected)?;
    if is_shown && !is_equal {
        println!("ours:\n{tree}\nisl's:\n{expected}");
    }
    let mut note = format!("{:.1} ms", time.as_secs_f64() * 1e3);
    for warning in &scheduled.report.warnings {
        note.push_str(&format!(", warning: {warning}"));
    }
    if !unknown.is_empty() {
        note.push_str(&format!(", ignored: {}", unknown.join(" ")));
    }
    Ok(Outcome { is_equal, has_same_loops, note })
}

/// The tree with the children of its set nodes sorted: they may run in any order, and isl lists them as its hash tables do.
fn sets_sorted(tree: &ScheduleTree) -> farkas_poly::Result<ScheduleTree> {
    tree.map_bottom_up(&mut |tree| {
        let Node::Set(children) = tree.node() else { return Ok(tree) };
        let mut keyed = Vec::with_capacity(children.len());
        for child in children {
            let Node::Filter { filter, .. } = child.node() else { continue };
            let names = filter.sets()?.iter().map(Set::tuple_name).collect::<BTreeSet<_>>();
            keyed.push((names, child.clone()));
        }
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(tree.with_children(keyed.into_iter().map(|(_, child)| child).collect()))
    })
}

/// The functions of each statement's loops, outermost first.
fn loops(tree: &ScheduleTree) -> Result<BTreeMap<String, Vec<String>>, farkas_poly::Error> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for cursor in tree.cursors() {
        let Ok(Node::Band { band, .. }) = tree.at(&cursor).map(ScheduleTree::node) else {
            continue;
        };
        for function in band.members.iter().map(|member| member.schedule.pw_affs()) {
            for part in function? {
                let name = part.domain_space()?.tuple_name(DimType::SET).unwrap_or_default();
                found.entry(name).or_default().push(part.to_string());
            }
        }
    }
    Ok(found)
}

/// The constraints with their pairs as the file has them, where its context holds: isl does not ask whether they lie in
/// the domain.
fn as_written(lowered: &Lowered) -> farkas_poly::Result<Vec<Constraint>> {
    let names: Vec<&str> = lowered.scop.params().iter().map(|p| p.name.as_str()).collect();
    let model = Space::params_named(&names)?;
    let written = |c: &Constraint| {
        let pairs = c.written.align_params(&model)?.intersect_params(lowered.scop.context())?;
        Ok(Constraint { pairs, ..c.clone() })
    };
    lowered.constraints.iter().map(written).collect()
}

/// The strategy's options for isl's flags, and the flags that have no counterpart.
fn options(flags: &str) -> (IslOptions, Vec<String>) {
    let mut options = IslOptions::default();
    let mut unknown = Vec::new();
    for flag in flags.split_whitespace() {
        let (key, value) = flag.split_once('=').unwrap_or((flag, ""));
        match (key, value) {
            ("--schedule-outer-coincidence", _) => options.outer_coincidence = true,
            ("--no-schedule-outer-coincidence", _) => options.outer_coincidence = false,
            ("--schedule-maximize-coincidence", _) => options.maximize_coincidence = true,
            ("--no-schedule-maximize-coincidence", _) => options.maximize_coincidence = false,
            ("--schedule-max-coefficient", value) => options.max_coefficient = value.parse().ok(),
            ("--schedule-max-constant-term", value) => {
                options.max_constant_term = value.parse().ok();
            }
            ("--schedule-treat-coalescing", _) => options.treat_coalescing = true,
            ("--no-schedule-treat-coalescing", _) => options.treat_coalescing = false,
            ("--schedule-algorithm", "feautrier") => options.feautrier = true,
            ("--schedule-algorithm", "isl") => options.feautrier = false,
            ("--schedule-serialize-sccs", _) => options.fusion = FusionHeuristic::No,
            ("--schedule-whole-component", _) => options.fusion = FusionHeuristic::Max,
            ("--no-schedule-whole-component", _) => options.fusion = FusionHeuristic::Cluster,
            _ => unknown.push(flag.to_owned()),
        }
    }
    (options, unknown)
}
