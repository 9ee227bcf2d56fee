//! Plain text tables.

use crate::Agreement;
use crate::bench::{CacheSize, Host, Outcome, Report, Variant};
use std::fmt::Write;

/// How a column lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table with a header; rows may be shorter than the header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The width of a column in characters.
    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widths = cells.chain([&self.columns[column].0]).map(|cell| cell.chars().count());
        widths.max().unwrap_or(0)
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widths: Vec<usize> = (0..self.columns.len()).map(|c| self.width(c)).collect();
        let header: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        for row in [&header, &rule].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let Some(&width) = widths.get(column) else { break };
                let gap = if column == 0 { "" } else { "  " };
                match self.columns[column].1 {
                    Align::Left => write!(line, "{gap}{cell:<width$}")?,
                    Align::Right => write!(line, "{gap}{cell:>width$}")?,
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// The report as people read it: a row for each variant, the reasons of those without a time, geometric means, and what the numbers
/// are from.
pub fn render_report(report: &Report) -> String {
    let mut table = Table::new(&[
        ("program", Align::Left),
        ("baseline", Align::Right),
        ("variant", Align::Left),
        ("time", Align::Right),
        ("spread", Align::Right),
        ("speed-up", Align::Right),
        ("range", Align::Left),
        ("outputs", Align::Left),
    ]);
    let mut reasons = String::new();
    for program in &report.programs {
        if let Some(reason) = program.baseline.reason() {
            note(&mut reasons, &program.name, "baseline", program.baseline.name(), reason);
        }
        if program.variants.is_empty() {
            table.row(vec![program.name.clone(), time_of(&program.baseline)]);
        }
        for variant in &program.variants {
            let mut row = vec![program.name.clone(), time_of(&program.baseline)];
            row.extend(variant_cells(variant, report.tolerance));
            table.row(row);
            if variant.outcome != program.baseline
                && let Some(reason) = variant.outcome.reason()
            {
                note(&mut reasons, &program.name, &variant.name, variant.outcome.name(), reason);
            }
        }
    }
    let mut text = table.to_string();
    if !reasons.is_empty() {
        let _ = write!(text, "\n{reasons}");
    }
    let mut separator = "\n";
    for name in report.variant_names() {
        if let Some((mean, count)) = report.geometric_mean(name) {
            let programs = if count == 1 { "program" } else { "programs" };
            let _ = writeln!(
                text,
                "{separator}geometric mean of {name} over {count} {programs}: {mean:.2}x"
            );
            separator = "";
        }
    }
    text.push('\n');
    text.push_str(&source(report));
    text
}

/// What the numbers of a report are from.
fn source(report: &Report) -> String {
    let environment = &report.environment;
    let version = environment.compiler.as_ref().map(|version| format!(" ({version})"));
    format!(
        "compiler: {}{}\nthreads:  {}\nmachine:  {}\n",
        report.baseline,
        version.unwrap_or_default(),
        environment.threads,
        machine(&environment.machine),
    )
}

/// A machine in one line.
fn machine(host: &Host) -> String {
    let mut text = match &host.processor {
        Some(processor) if *processor != host.name => format!("{processor} ({})", host.name),
        _ => host.name.clone(),
    };
    let cores = if host.cores == 1 { "core" } else { "cores" };
    let _ = write!(text, ", {} {cores}", host.cores);
    if host.threads_per_core > 1 {
        let _ = write!(text, " of {} threads", host.threads_per_core);
    }
    for CacheSize { level, bytes } in &host.caches {
        let _ = write!(text, ", L{level} {}", size_words(*bytes));
    }
    text
}

/// Bytes in the largest unit that leaves no fraction.
pub fn size_words(bytes: u64) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} bytes"),
    }
}

/// How far outputs agree where numbers may differ by `tolerance`.
fn agreement(outputs: Option<Agreement>, tolerance: f64) -> String {
    match outputs {
        None => "nothing is printed".into(),
        Some(Agreement::Equal) => "equal".into(),
        Some(Agreement::Within { largest_relative: 0.0 }) => "equal numbers".into(),
        Some(Agreement::Within { largest_relative }) => {
            format!("within {tolerance:e} (largest relative difference {largest_relative:.1e})")
        }
    }
}

/// The cells of a variant after the program's.
fn variant_cells(variant: &Variant, tolerance: f64) -> Vec<String> {
    let mut cells = vec![variant.name.clone(), time_of(&variant.outcome)];
    let Outcome::Measured { summary, outputs, .. } = &variant.outcome else { return cells };
    cells.push(format!("{:.0}%", 100.0 * summary.spread()));
    let ratio = variant.speedup.map(|speedup| {
        (format!("{:.2}x", speedup.median), format!("{:.2}-{:.2}", speedup.low, speedup.high))
    });
    let (median, range) = ratio.unwrap_or_default();
    cells.extend([median, range, agreement(*outputs, tolerance)]);
    cells
}

/// The median time, or what happened instead.
fn time_of(outcome: &Outcome) -> String {
    outcome.median_s().map_or_else(|| outcome.name().to_owned(), time_words)
}

/// A time as people read it: `1.25 s`, `0.013 s`, `0.250 ms`.
pub fn time_words(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 1.0 => format!("{seconds:.2} s"),
        _ if seconds >= 0.01 => format!("{seconds:.3} s"),
        _ => format!("{:.3} ms", 1e3 * seconds),
    }
}

/// One line about a version without times.
fn note(reasons: &mut String, program: &str, version: &str, outcome: &str, reason: &str) {
    let mut lines = reason.lines();
    let first = lines.next().unwrap_or("");
    let prefix = if first.starts_with(outcome) { String::new() } else { format!("{outcome}: ") };
    let _ = writeln!(reasons, "{program}, {version}: {prefix}{first}");
    for line in lines {
        let _ = writeln!(reasons, "    {line}");
    }
}
