//! isl's own tests of its scheduler: `cargo run -p farkas-front-isl --example isl_tests -- FOLDER [NAME…]`.
//!
//! Each `NAME.sc` of the folder is scheduled by the strategy `isl` under the options that its line `# OPTIONS:` names, is
//! checked against its constraints, and the tree is compared with `NAME.st` as isl's `schedule_cmp` does. With names, the
//! trees that differ are printed.
#![allow(clippy::print_stdout, reason = "a table for people")]

use farkas::constraints::{relations, required};
use farkas_base::SourceFile;
use farkas_deps::{Verdict, legality};
use farkas_front_isl::{Constraint, Lowered, read_constraints};
use farkas_poly::{IslSchedule, Space};
use farkas_schedule::{FusionHeuristic, Isl, IslOptions, ScheduleOptions, schedule_relations};
use farkas_tree::ScheduleTree;
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
    let mut counts = [0; 3];
    for path in &paths {
        let outcome = run(path, !wanted.is_empty());
        let (place, verdict) = match &outcome {
            Ok(Outcome { is_equal: true, .. }) => (0, "equal"),
            Ok(Outcome { is_equal: false, .. }) => (1, "differs"),
            Err(_) => (2, "FAILED"),
        };
        counts[place] += 1;
        let note = match outcome {
            Ok(outcome) => outcome.note,
            Err(error) => error.to_string(),
        };
        println!("{:<28} {verdict:<8} {note}", name(path));
    }
    println!(
        "{} files: {} equal, {} differ, {} failed",
        paths.len(),
        counts[0],
        counts[1],
        counts[2]
    );
    Ok(())
}

/// What came of a file.
struct Outcome {
    is_equal: bool,
    note: String,
}

/// A file's name without its extension.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Schedules, checks and compares.
fn run(path: &Path, is_shown: bool) -> Result<Outcome, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let flags =
        text.lines().find_map(|line| line.split_once("OPTIONS:")).map_or("", |(_, flags)| flags);
    let (options, unknown) = options(flags);
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
    let verdict =
        legality::check_required(&lowered.scop, &scheduled.tree, &required(&lowered.constraints))?;
    if let Verdict::Illegal(found) = verdict {
        println!("{}", scheduled.tree);
        return Err(format!("illegal: {found}").into());
    }
    let expected: IslSchedule = std::fs::read_to_string(path.with_extension("st"))?.parse()?;
    // Through the text, as isl's own comparison.
    let actual: IslSchedule = scheduled.tree.to_string().parse()?;
    let is_equal = actual.plain_is_equal(&expected)?;
    let is_same_order = !is_equal && {
        let map = |schedule: &IslSchedule| schedule.map();
        map(&actual)?.is_equal(&map(&expected)?)?
    };
    if is_shown && !is_equal {
        println!("ours:\n{}\nisl's:\n{}", scheduled.tree, ScheduleTree::from_isl(&expected)?);
    }
    let mut note = format!("{:.1} ms", time.as_secs_f64() * 1e3);
    if is_same_order {
        note.push_str(", the same dates");
    }
    for warning in &scheduled.report.warnings {
        note.push_str(&format!(", warning: {warning}"));
    }
    if !unknown.is_empty() {
        note.push_str(&format!(", ignored: {}", unknown.join(" ")));
    }
    Ok(Outcome { is_equal, note })
}

/// The constraints with their pairs as the file has them: isl does not ask whether they lie in the domain.
fn as_written(lowered: &Lowered) -> farkas_poly::Result<Vec<Constraint>> {
    let names: Vec<&str> = lowered.scop.params().iter().map(|p| p.name.as_str()).collect();
    let model = Space::params_named(&names)?;
    let written =
        |c: &Constraint| Ok(Constraint { pairs: c.written.align_params(&model)?, ..c.clone() });
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
            ("--schedule-algorithm", "feautrier") => options.feautrier = true,
            ("--schedule-algorithm", "isl") => options.feautrier = false,
            ("--schedule-serialize-sccs", _) => options.fusion = FusionHeuristic::No,
            ("--schedule-whole-component", _) => options.fusion = FusionHeuristic::Max,
            ("--no-schedule-whole-component", _) => options.fusion = FusionHeuristic::Smart,
            _ => unknown.push(flag.to_owned()),
        }
    }
    (options, unknown)
}
