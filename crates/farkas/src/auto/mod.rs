//! Strategy `auto`: several forms of a region, of which the one is taken that the machine model finds fastest.

mod plans;
mod ranking;
mod versions;

pub use ranking::{Ranked, Ranking, Work};

use crate::pipeline::{self, Form, Optimized, Started, optimize_as, printed};
use crate::{Error, Options, PassTimes, Strategy};
use farkas_base::Budget;
use farkas_cost::{Estimate, assumed_values, estimate};
use farkas_deps::carried::coincidence;
use farkas_deps::{DepId, DependenceKind, Dependences};
use farkas_front_c::ScopRegion;
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_poly::{counted, with_budget};
use farkas_schedule::Scheduled;
use farkas_scop::Scop;
use farkas_transform::TileSizes;
use farkas_tree::{Cursor, Node, Program, ScheduleTree, original_tree};
use plans::{plans, shapes};
use std::collections::BTreeMap;

/// A form that is as fast on one core alone is taken where those on all cores, which may be busy with other things, gain less.
const WORTH_OF_THREADS: f64 = 1.12;

/// Forms that are generated for one region, at most.
const MAX_FORMS: u64 = 12;

/// Schedules of which other forms are tried than the one with tiles by the model.
const N_THOROUGH: usize = 2;

/// The part of the machine's arithmetic that a form uses when no others are tried.
const ENOUGH: f64 = 0.5;

/// Where statements are in more loops, no register tiles of the original order are tried: schedules have better ones.
const MAX_STRIP_DEPTH: usize = 2;

/// The form of a region that costs least.
///
/// # Errors
/// As [`pipeline::optimize`].
pub(crate) fn choose(
    region: &ScopRegion,
    deps: &Dependences,
    options: &Options,
    times: &mut PassTimes,
    warnings: &mut Vec<String>,
) -> Result<Optimized, Error> {
    let params = assumed_values(&region.scop, &BTreeMap::new())?;
    let mut search = Search {
        region,
        deps,
        base: options,
        params,
        budget: Budget::new(MAX_FORMS),
        started: Started::default(),
        found: Vec::new(),
        left_out: Vec::new(),
    };
    let (searched, operations) = counted(options.budget, || search.all(times));
    match searched {
        Err(error) if !error.has_simpler_form() => return Err(error),
        _ => {}
    }
    let Search { mut found, params, left_out, .. } = search;
    found.sort_by(|a, b| a.estimate.cycles().total_cmp(&b.estimate.cycles()));
    let mut ranking = Ranking {
        machine: options.machine.name.clone(),
        params: params.iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        forms: found.iter().map(Candidate::ranked).collect(),
        work: Work { operations, limit: options.budget },
        left_out,
        original_up_to: Vec::new(),
    };
    let original = found.iter().find(|c| c.options.strategy.is_original());
    let original = original.map(|c| (c.options.clone(), c.form.clone()));
    let mut candidates: Vec<(usize, Candidate)> = found.into_iter().enumerate().collect();
    if let Some(at) = on_one_core(&candidates, &params)? {
        candidates[..=at].rotate_right(1);
    }
    for (at, candidate) in candidates {
        let Candidate { name, options, form, .. } = candidate;
        match pipeline::verify(&region.scop, &form.program, times) {
            Ok(()) => {
                ranking.forms[at].is_chosen = true;
                let best = Best { name: &name, options: &options, form };
                return emitted(region, deps, best, original, ranking, &params, times);
            }
            Err(error) if error.has_simpler_form() || matches!(error, Error::Illegal { .. }) => {
                warnings.push(format!("{error}; {name} is left out"));
            }
            Err(error) => return Err(error),
        }
    }
    let original = Options { strategy: Strategy::Original, ..options.clone() };
    optimize_as(region, deps.clone(), &original, times, warnings)
}

/// The first form that costs hardly more than the fastest although it has one core alone.
fn on_one_core(candidates: &[(usize, Candidate)], params: &Params) -> Result<Option<usize>, Error> {
    let Some((_, fastest)) = candidates.first() else { return Ok(None) };
    let most = WORTH_OF_THREADS * fastest.estimate.cycles();
    for (at, (_, candidate)) in candidates.iter().enumerate() {
        if candidate.estimate.cycles() > most {
            break;
        }
        let machine = Machine { cores: 1, ..candidate.options.machine.clone() };
        let Program { scop, .. } = &candidate.form.program;
        if estimate(scop, &candidate.form.ast, &machine, params)?.cycles() <= most {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// The form that is taken.
struct Best<'a> {
    name: &'a str,
    options: &'a Options,
    form: Form,
}

/// The code of the best form; beside it that of the original order for sizes where that is faster.
fn emitted(
    region: &ScopRegion,
    deps: &Dependences,
    best: Best<'_>,
    original: Option<(Options, Form)>,
    mut ranking: Ranking,
    params: &Params,
    times: &mut PassTimes,
) -> Result<Optimized, Error> {
    let Best { name, options, form } = best;
    let is_original = options.strategy.is_original();
    let smaller = match &original {
        Some((_, first)) if !is_original => {
            let forms = (first, &form);
            times.run("cost", || versions::faster_below(forms, &options.machine, params))?
        }
        _ => None,
    };
    let strategy = format!("auto: {name}");
    let mut chosen = printed(region, deps.clone(), form, &strategy, options, times);
    if let (Some(limits), Some((options, form))) = (smaller, original) {
        let small = printed(region, deps.clone(), form, "auto: original", &options, times);
        chosen.code = versions::both(region, &limits, &small.code, &chosen.code);
        ranking.original_up_to = limits;
    }
    Ok(Optimized { ranking: Some(ranking), ..chosen })
}

/// A form with its cost.
struct Candidate {
    name: String,
    options: Options,
    form: Form,
    estimate: Estimate,
}

impl Candidate {
    /// Its line of the ranking.
    fn ranked(&self) -> Ranked {
        Ranked { name: self.name.clone(), estimate: self.estimate.clone(), is_chosen: false }
    }
}

/// What a form is made of.
#[derive(Clone, Copy)]
struct Start<'a> {
    scheduled: Option<&'a Scheduled>,
    /// Whether live ranges may be in another order, or are to be.
    reorders: bool,
    tree: &'a ScheduleTree,
}

/// The forms of a region.
struct Search<'a> {
    region: &'a ScopRegion,
    deps: &'a Dependences,
    base: &'a Options,
    params: Params,
    /// Forms that may still be generated.
    budget: Budget,
    started: Started,
    found: Vec<Candidate>,
    left_out: Vec<String>,
}

impl Search<'_> {
    /// All forms.
    fn all(&mut self, times: &mut PassTimes) -> Result<(), Error> {
        self.original(times)?;
        self.plans(times)
    }

    /// Whether a form uses so much of the machine that no other can be much better.
    fn has_enough(&self) -> bool {
        self.found.iter().any(|candidate| candidate.estimate.part_of_peak() >= ENOUGH)
    }

    /// The original order: as it is, with its parallel loops on threads, with recurrences side by side, and with register tiles.
    fn original(&mut self, times: &mut PassTimes) -> Result<(), Error> {
        let tree = times.run("order", || original_tree(&self.region.scop))?;
        let marked = with_coincidence(&self.region.scop, self.deps, &tree)?;
        let start = Start { scheduled: None, reorders: false, tree: &marked.as_it_is };
        let as_it_is = Options { strategy: Strategy::Original, ..self.base.clone() };
        self.judge("original".into(), &as_it_is, start, times)?;
        let reorders = marked.with_copies != marked.as_it_is;
        let start = Start { scheduled: None, reorders, tree: &marked.with_copies };
        let in_parallel = Options {
            strategy: Strategy::Auto,
            tile: TileSizes::none(),
            wavefront: false,
            index_sets: true,
            point_order: farkas_transform::PointOrder::Scheduled,
            ..self.base.clone()
        };
        self.judge("original, parallel".into(), &in_parallel, start, times)?;
        let in_strips = Options { strips: true, ..in_parallel.clone() };
        self.judge("original, in strips".into(), &in_strips, start, times)?;
        let is_flat = self.region.scop.stmts().iter().all(|stmt| stmt.depth() <= MAX_STRIP_DEPTH);
        if !is_flat || !plans::has_register_tiles(self.base) {
            return Ok(());
        }
        let start = Start { scheduled: None, reorders: false, tree: &marked.as_it_is };
        let in_registers = Options { register: true, ..in_parallel };
        self.judge("original, register tiles".into(), &in_registers, start, times)
    }

    /// The forms of all schedules.
    fn plans(&mut self, times: &mut PassTimes) -> Result<(), Error> {
        let mut schedules: Vec<(String, Options, Scheduled)> = Vec::new();
        for (name, options) in plans(self.base) {
            let (_, scheduled) =
                match pipeline::decide(&self.region.scop, self.deps, &options, times) {
                    Ok(decided) => decided,
                    Err(error) if error.has_simpler_form() => continue,
                    Err(error) => return Err(error),
                };
            let Some(scheduled) = scheduled else { continue };
            if schedules.iter().all(|(_, _, other)| other.tree != scheduled.tree) {
                schedules.push((name, options, scheduled));
            }
        }
        for (at, (shape, apply)) in shapes().into_iter().enumerate() {
            let tried = if at == 0 { schedules.len() } else { N_THOROUGH };
            for (name, options, scheduled) in schedules.iter().take(tried) {
                let options = apply(options.clone());
                let name = format!("{name}, {shape}");
                let reorders = pipeline::reorders(Some(scheduled));
                let start = Start { scheduled: Some(scheduled), reorders, tree: &scheduled.tree };
                self.judge(name, &options, start, times)?;
            }
        }
        Ok(())
    }

    /// Adds the form of a schedule under some options, unless it is there already or takes too much.
    fn judge(
        &mut self,
        name: String,
        options: &Options,
        start: Start<'_>,
        times: &mut PassTimes,
    ) -> Result<(), Error> {
        if self.has_enough() {
            return Ok(());
        }
        let formed = with_budget(self.base.budget / 2, || self.form(options, start, times));
        let form = match formed {
            Ok(Some(form)) => form,
            Ok(None) => return Ok(()),
            Err(error) if error.has_simpler_form() => {
                self.left_out.push(name);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let Program { scop, .. } = &form.program;
        let cost = || estimate(scop, &form.ast, &options.machine, &self.params);
        let estimate = times.run("cost", cost)?;
        self.found.push(Candidate { name, options: options.clone(), form, estimate });
        Ok(())
    }

    /// The form of a schedule under some options; `None` where it is there already.
    fn form(
        &mut self,
        options: &Options,
        start: Start<'_>,
        times: &mut PassTimes,
    ) -> Result<Option<Form>, Error> {
        let scop = &self.region.scop;
        let Start { scheduled, reorders, tree } = start;
        let started = &mut self.started;
        let shaped =
            pipeline::shape_again(scop, self.deps, reorders, tree, options, started, times);
        let (program, remarks) = shaped?;
        if self.found.iter().any(|other| other.form.program == program) {
            return Ok(None);
        }
        self.budget.spend(1).map_err(|_| farkas_poly::Error::OutOfBudget)?;
        let ast = pipeline::generate(self.region, &program, times)?;
        Ok(Some(Form { scheduled: scheduled.cloned(), program, remarks, ast }))
    }
}

/// A tree in two ways.
struct Marked {
    /// With its loops called coincident where they carry nothing.
    as_it_is: ScheduleTree,
    /// The same where they carry nothing but what copies of temporaries would keep apart.
    with_copies: ScheduleTree,
}

/// The tree with its loops called coincident.
fn with_coincidence(scop: &Scop, deps: &Dependences, tree: &ScheduleTree) -> Result<Marked, Error> {
    // A value that goes from one iteration to another does so with copies, too.
    let is_temporary = |id: &DepId| {
        let dep = &deps[*id];
        let array = scop.stmts()[dep.source].accesses[dep.source_access].array;
        dep.kind != DependenceKind::Flow && scop.arrays()[array].may_be_private()
    };
    let mut marked = Marked { as_it_is: tree.clone(), with_copies: tree.clone() };
    for report in coincidence(deps, tree)? {
        let may_have_copies = report.blocked_in_band.iter().all(is_temporary);
        let at = (&report.cursor, report.member);
        marked.as_it_is = with_member(&marked.as_it_is, at, report.is_coincident())?;
        marked.with_copies = with_member(&marked.with_copies, at, may_have_copies)?;
    }
    Ok(marked)
}

/// The tree with a member of the band at a cursor that is called coincident, or not.
fn with_member(
    tree: &ScheduleTree,
    (cursor, member): (&Cursor, usize),
    coincident: bool,
) -> Result<ScheduleTree, Error> {
    let Node::Band { band, child } = tree.at(cursor)?.node() else { return Ok(tree.clone()) };
    let mut band = band.clone();
    if let Some(member) = band.members.get_mut(member) {
        member.coincident = coincident;
    }
    Ok(tree.replace(cursor, ScheduleTree::band(band, child.clone()))?)
}
