//! The forms that `auto` compared, for people and programs.

use farkas_cost::Estimate;
use std::collections::BTreeMap;
use std::fmt;

/// The forms of a region that were compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Ranking {
    /// The machine they were compared for.
    pub machine: String,
    /// The values of the parameters for which they were compared.
    pub params: Vec<(String, i64)>,
    /// Values that the user told.
    pub told: BTreeMap<String, i64>,
    /// The forms, the fastest first by the model.
    pub forms: Vec<Ranked>,
    /// The work that comparing them took.
    pub work: Work,
    /// Forms that were left out because there were enough, or because they took too much work to generate.
    pub left_out: Vec<String>,
    /// Why forms that keep temporaries elsewhere take too much memory.
    pub too_large: Vec<String>,
    /// Forms that were left out because they are more code than may be added to the file.
    pub too_long: Vec<String>,
    /// Bytes of machine code that the chosen form is, by an estimate.
    pub code_bytes: f64,
    /// What came of recipes of a database.
    pub learned: Vec<Learned>,
    /// Parameters up to these values are left to the original order, which is emitted, too, behind a test; none where it is
    /// not faster for any size that matters.
    pub original_up_to: Vec<(String, i64)>,
    /// The work, one of which there must be for the chosen form to run; else the original does. Empty where nothing is asked.
    pub works: Vec<farkas_astgen::Work>,
    /// Whether the chosen form runs only where there are several threads, without which it gains nothing; else the original does.
    pub needs_threads: bool,
    /// Parameters each of which leaves the region to what stands beside the chosen form where it is no larger.
    pub small: Vec<(String, i64)>,
    /// The form that runs where the chosen one does not, because its arrays would take too much memory, or there is too little work for its threads;
    /// the original where there is none.
    pub instead: Option<String>,
    /// Whether a test decides whether the arrays of the chosen form take too much memory.
    pub tests_memory: bool,
}

/// Work that is counted, so that the same program is always treated in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// isl operations that schedules, forms and their code took.
    pub operations: u64,
    /// How many they might have taken.
    pub limit: u64,
}

/// A form.
#[derive(Clone, PartialEq, Debug)]
pub struct Ranked {
    /// How it came about.
    pub name: String,
    /// What it costs.
    pub estimate: Estimate,
    /// Whether it is the one that is emitted.
    pub is_chosen: bool,
}

/// In what cycles are shown.
#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    cycles: f64,
}

impl Unit {
    /// The largest unit of which the dearest form takes at least ten; cycles where there is none.
    fn of(forms: &[Ranked]) -> Self {
        let most = forms.iter().map(|form| form.estimate.cycles()).fold(0.0, f64::max);
        match most {
            _ if most >= 1e7 => Self { name: "millions of cycles", cycles: 1e6 },
            _ if most >= 1e4 => Self { name: "thousands of cycles", cycles: 1e3 },
            _ => Self { name: "cycles", cycles: 1.0 },
        }
    }
}

impl Ranked {
    /// What it costs in all, with the part of the arithmetic in use, and the terms that matter, as they are shown.
    fn costs(&self, unit: Unit) -> (String, String) {
        let (all, part) = (self.estimate.cycles(), 100.0 * self.estimate.part_of_peak());
        let terms = self.estimate.terms();
        let terms = terms.iter().filter(|(_, cycles)| *cycles >= 0.005 * all);
        let terms: Vec<String> =
            terms.map(|(name, cycles)| format!("{name} {:.3}", cycles / unit.cycles)).collect();
        (format!("{:>12.3} {part:>4.0} %", all / unit.cycles), terms.join(", "))
    }
}

/// What came of a recipe of a database. For people it is a line, a long one where the format is the alternate one (`{:#}`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Learned {
    /// From where it was taken, or which recipe it is.
    pub from: String,
    /// Why it was taken; nothing where it was not.
    pub reason: String,
    /// What of it does not apply, and what else there is to tell.
    pub details: Vec<String>,
    /// Forms that were made by it.
    pub n_forms: usize,
}

impl fmt::Display for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, reason, details, n_forms } = self;
        f.write_str(from)?;
        if f.alternate() {
            if !reason.is_empty() {
                write!(f, " because {reason}")?;
            }
            details.iter().try_for_each(|detail| write!(f, "; {detail}"))?;
            return if *n_forms == 0 { f.write_str("; nothing new comes of it") } else { Ok(()) };
        }
        match (n_forms, details.len()) {
            (0, 0) => f.write_str(": nothing new comes of it"),
            (0, n) => write!(f, ": nothing new comes of it ({})", more(n)),
            (_, 0) => Ok(()),
            (_, n) => write!(f, ": not all of it ({})", more(n)),
        }
    }
}

/// How much more there is to read.
fn more(n_details: usize) -> String {
    let ending = if n_details == 1 { "" } else { "s" };
    format!("{n_details} remark{ending} with --verbose")
}

impl Ranking {
    /// Whether there was no work for some forms.
    pub fn is_cut_short(&self) -> bool {
        self.work.operations >= self.work.limit || !self.left_out.is_empty()
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millions = |n: u64| n as f64 / 1e6;
        let (taken, limit) = (millions(self.operations), millions(self.limit));
        write!(f, "{taken:.2} of {limit:.2} million isl operations")?;
        if self.operations >= self.limit { write!(f, ", the budget is used up") } else { Ok(()) }
    }
}

impl Ranking {
    /// A line for each cost, with the form that was chosen or the first one, and below it the others that cost the same; each with its place
    /// among all.
    fn write_forms(&self, f: &mut fmt::Formatter<'_>, unit: Unit) -> fmt::Result {
        let placed: Vec<(usize, &Ranked)> = (1..).zip(&self.forms).collect();
        for equals in placed.chunk_by(|(_, a), (_, b)| a.costs(unit) == b.costs(unit)) {
            let chosen = equals.iter().find(|(_, form)| form.is_chosen);
            let Some((place, told)) = chosen.or(equals.first()) else { continue };
            let mark = if told.is_chosen { '*' } else { ' ' };
            let (cycles, terms) = told.costs(unit);
            writeln!(f, "  {place:>2} {mark} {cycles}  {:<34} {terms}", told.name)?;
            let others = equals.iter().filter(|(other, _)| other != place);
            let others: Vec<String> =
                others.map(|(place, form)| format!("{place} {}", form.name)).collect();
            if !others.is_empty() {
                writeln!(
                    f,
                    "  {:width$}the same: {}",
                    "",
                    others.join("; "),
                    width = 7 + cycles.len()
                )?;
            }
        }
        Ok(())
    }
}

/// The forms as a table; in the alternate format (`{:#}`) with all that there is to tell of recipes of a database.
impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let param = |(name, value): &(String, i64)| {
            let is_told = self.told.get(name) == Some(value);
            format!("{name} = {value}{}", if is_told { " (told)" } else { "" })
        };
        let params: Vec<String> = self.params.iter().map(param).collect();
        let at =
            if params.is_empty() { String::new() } else { format!(" at {}", params.join(", ")) };
        let unit = Unit::of(&self.forms);
        writeln!(
            f,
            "on {}{at}, in {}, with the part of the arithmetic in use:",
            self.machine, unit.name
        )?;
        self.write_forms(f, unit)?;
        writeln!(f, "  ({})", self.work)?;
        if self.code_bytes > 0.0 {
            writeln!(f, "  about {:.1} KiB of code", self.code_bytes / 1024.0)?;
        }
        let other = self.instead.as_deref().unwrap_or("the original");
        if !self.original_up_to.is_empty() {
            let limits = self.original_up_to.iter().map(|(name, most)| format!("{name} <= {most}"));
            let limits = limits.collect::<Vec<_>>().join(" and ");
            writeln!(f, "  {other} where {limits}")?;
        }
        if !self.works.is_empty() {
            let works: Vec<String> = self.works.iter().map(ToString::to_string).collect();
            writeln!(f, "  {other} unless {}", works.join(" or "))?;
        }
        if self.needs_threads {
            writeln!(f, "  {other} where there is one thread")?;
        }
        if let Some(form) = self.instead.as_ref().filter(|_| self.tests_memory) {
            writeln!(f, "  {form} where temporaries would take too much memory")?;
        }
        if !self.small.is_empty() {
            let limits = self.small.iter().map(|(name, most)| format!("{name} <= {most}"));
            let limits = limits.collect::<Vec<_>>().join(" or ");
            writeln!(f, "  {other} where {limits}")?;
        }
        for reason in &self.too_large {
            writeln!(f, "  temporaries stay where they are: {reason}")?;
        }
        if !self.too_long.is_empty() {
            writeln!(f, "  left out, for too much code: {}", self.too_long.join("; "))?;
        }
        for learned in &self.learned {
            match f.alternate() {
                true => writeln!(f, "  {learned:#}")?,
                false => writeln!(f, "  {learned}")?,
            }
        }
        if !self.left_out.is_empty() {
            writeln!(f, "  left out, for too much work: {}", self.left_out.join("; "))?;
        }
        Ok(())
    }
}
