//! The forms of a region that strategy `auto` compares.

mod learned;

use super::plans::{self, SHAPES, SPLIT, Shape, plans};
use crate::basis::Basis;
use crate::decide::{Decided, decide};
use crate::form::{Form, generate_again, within_memory};
use crate::normal::{NormalOrder, NormalOrders};
use crate::own_order::OwnOrder;
use crate::ranking::{Learned, Ranked};
use crate::shape::shape_again;
use crate::storage::{divided, expanded};
use crate::template::Template;
use crate::{Error, Options, Session, Strategy};
use farkas_astgen::Memory;
use farkas_base::Budget;
use farkas_codegen::Target;
use farkas_cost::{Estimate, code_bytes, estimate};
use farkas_interp::Params;
use farkas_poly::with_budget;
use farkas_schedule::Scheduled;
use farkas_scop::{Region, Statement};
use farkas_transform::{Followed, PartStrips};
use farkas_tree::{NoThreads, Program, ScheduleTree};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Forms that are generated for one region, at most.
const MAX_FORMS: u64 = 20;

/// Schedules of which other forms are tried than the one with tiles by the model.
const N_THOROUGH: usize = 2;

/// What the name of a form that is tried without threads ends with.
pub(super) const ONE_CORE: &str = ", one core";

/// The part of a form's cost that goes to threads, from which on the same is tried without them.
const DEAR_THREADS: f64 = 0.2;

/// Forms with other storage are taken where they are so many times faster: they ask for memory, and beside them stands the original.
const WORTH_OF_STORAGE: f64 = 1.05;

/// Other storage that makes loops so many times faster than a schedule without it does what no such schedule can.
const FREED: f64 = 4.0;

/// The part of the machine's arithmetic that a form uses when no others are tried.
const ENOUGH: f64 = 0.5;

/// Where statements are in more loops, no register tiles of the original order are tried: schedules have better ones.
const MAX_STRIP_DEPTH: usize = 2;

/// The number of the basis that is the region's scop.
const ORIGINAL: usize = 0;

/// A form with its cost.
#[derive(Clone)]
pub(super) struct Candidate {
    /// How many were found before it.
    pub(super) n_before: usize,
    pub(super) name: String,
    pub(super) options: Options,
    pub(super) form: Form,
    pub(super) estimate: Estimate,
    /// How much code it is.
    pub(super) code_bytes: f64,
}

impl Candidate {
    /// What it costs, where memory for other storage is not for nothing.
    pub(super) fn price(&self) -> f64 {
        let cycles = self.estimate.cycles();
        if self.form.basis.is_expanded() { cycles * WORTH_OF_STORAGE } else { cycles }
    }

    /// Its line of the ranking.
    pub(super) fn ranked(&self) -> Ranked {
        Ranked { name: self.name.clone(), estimate: self.estimate.clone(), is_chosen: false }
    }
}

/// What a form is made of.
#[derive(Clone, Copy)]
struct Start<'a> {
    /// The number of its basis.
    basis: usize,
    scheduled: Option<&'a Scheduled>,
    /// Whether live ranges may be in another order, or are to be.
    reorders: bool,
    tree: &'a ScheduleTree,
}

/// The forms of a region.
pub(super) struct Search<'a> {
    region: &'a Region,
    /// The region's scop, and after it the one with other storage, where there is one; with what planners did to orders of theirs.
    bases: Vec<(Rc<Basis>, Followed)>,
    base: &'a Options,
    /// The sizes for which forms are compared.
    pub(super) params: Params,
    /// Loops that were generated for forms.
    memory: Memory,
    /// Forms that may still be generated.
    budget: Budget,
    /// Bytes of code that a form may have.
    room: f64,
    pub(super) found: Vec<Candidate>,
    /// The names of forms that took too much work.
    pub(super) left_out: Vec<String>,
    /// Why forms with other storage take too much memory.
    pub(super) too_large: BTreeSet<String>,
    /// The names of forms that are too much code.
    pub(super) too_long: Vec<String>,
    /// What came of recipes of a database.
    pub(super) told: Vec<Learned>,
    /// The number of the basis with places of their own for temporaries, once these were looked for: the region's own where there are none.
    expanded: Option<usize>,
    /// The normal form of that one, where it was asked for.
    normal: Option<Program>,
}

impl<'a> Search<'a> {
    /// No forms yet.
    pub(super) fn new(region: &'a Region, basis: Basis, base: &'a Options, params: Params) -> Self {
        Self {
            region,
            bases: vec![(Rc::new(basis), Followed::default())],
            base,
            params,
            memory: Memory::default(),
            budget: Budget::new(MAX_FORMS),
            room: base.room(),
            found: Vec::new(),
            left_out: Vec::new(),
            too_large: BTreeSet::new(),
            too_long: Vec::new(),
            told: Vec::new(),
            expanded: None,
            normal: None,
        }
    }

    /// All forms: those of the original order first, then schedules of the scop in which temporaries have places of their own,
    /// whose loops are freer, then those of the region's scop, at last split tiles of it. Where the normal form was asked for, those of the original
    /// order come last: what they are depends on how the program is written.
    pub(super) fn all(&mut self, session: &mut Session) -> Result<(), Error> {
        let own = self.original(session)?;
        if !self.base.normalize {
            self.shaped_as_it_is(None, ORIGINAL, &own, session)?;
        }
        if self.base.may_expand() {
            let (basis, _) = &self.bases[ORIGINAL];
            let expanded = expanded(basis, self.base, session)?;
            self.bases.extend(expanded.map(|basis| (Rc::new(basis), Followed::default())));
            self.expanded = Some(self.bases.len() - 1);
        }
        for basis in (0..self.bases.len()).rev() {
            self.plans(basis, session)?;
        }
        self.deep(session)?;
        if self.base.normalize {
            self.normal(&NormalOrder::ALL, session)?;
            self.shaped_as_it_is(None, ORIGINAL, &own, session)?;
        } else if !self.is_over() {
            self.normal(&[NormalOrder::Apart, NormalOrder::Coarse], session)?;
        }
        if self.base.divide { self.parts(session) } else { Ok(()) }
    }

    /// The original order with the parts of statements in strips, where some have several.
    fn parts(&mut self, session: &mut Session) -> Result<(), Error> {
        let divided = divided(&self.bases[ORIGINAL].0, self.base, session)?;
        let Some(basis) = divided.filter(Basis::is_expanded) else { return Ok(()) };
        let own = session.run("order", || OwnOrder::of(&basis.scop, &basis.deps))?;
        let number = self.bases.len();
        self.bases.push((Rc::new(basis), Followed::default()));
        let in_strips = plans::in_parallel(self.base);
        let in_strips = in_strips.with_template(|template| template.with(PartStrips::default()));
        let start = Start { basis: number, scheduled: None, reorders: false, tree: &own.as_it_is };
        self.judge("original, parts in strips".into(), &in_strips, start, session)
    }

    /// Whether no other forms need be tried: one uses so much of the machine that no other can be much better, or other storage
    /// makes so much of a difference to schedules that none without it comes near.
    fn is_over(&self) -> bool {
        let least = |is_expanded: bool| {
            let scheduled = self.found.iter().filter(|c| c.form.scheduled.is_some());
            let forms = scheduled.filter(|c| c.form.basis.is_expanded() == is_expanded);
            forms.map(Candidate::price).reduce(f64::min)
        };
        let is_freed = match (least(true), least(false)) {
            (Some(expanded), Some(other)) => expanded * FREED < other,
            _ => false,
        };
        is_freed || self.has_enough()
    }

    /// Whether a form uses so much of the machine that no other can be much better.
    fn has_enough(&self) -> bool {
        self.found.iter().any(|candidate| candidate.estimate.part_of_peak() >= ENOUGH)
    }

    /// The original order as it is, with what is known of its loops.
    fn original(&mut self, session: &mut Session) -> Result<OwnOrder, Error> {
        let basis = ORIGINAL;
        let Basis { scop, deps, .. } = self.bases[basis].0.as_ref();
        let own = session.run("order", || OwnOrder::of(scop, deps))?;
        let start = Start { basis, scheduled: None, reorders: false, tree: &own.as_it_is };
        let as_it_is = Options { strategy: Strategy::Original, ..self.base.clone() };
        self.judge("original".into(), &as_it_is, start, session)?;
        Ok(own)
    }

    /// An order with its parallel loops on threads, in parts, with recurrences side by side, and with register tiles.
    fn shaped_as_it_is(
        &mut self,
        normal_order: Option<NormalOrder>,
        basis: usize,
        own: &OwnOrder,
        session: &mut Session,
    ) -> Result<(), Error> {
        let name = normal_order.map_or("original", NormalOrder::name);
        let reorders = own.wants_copies();
        let start = Start { basis, scheduled: None, reorders, tree: &own.with_copies };
        let in_parallel = Options { normal_order, ..plans::in_parallel(self.base) };
        self.judge(format!("{name}, parallel"), &in_parallel, start, session)?;
        let Basis { scop, deps, .. } = self.bases[basis].0.as_ref();
        let selects = scop.stmts().iter().any(|stmt| stmt.selection(scop.arrays()).is_some());
        if selects || deps.deps.iter().any(|dep| dep.relaxed.is_some()) {
            let in_parts = in_parallel.clone().with_template(Template::with_partials);
            let start = Start { reorders: own.wants_copies_in_parts(), ..start };
            self.judge(format!("{name}, in parts"), &in_parts, start, session)?;
        }
        if !matches!(self.base.target, Target::Device(_)) {
            let in_lanes = in_parallel.clone().with_template(Template::with_outer_lanes);
            let start = Start { reorders: own.wants_copies_in_parts(), ..start };
            self.judge(format!("{name}, outer lanes"), &in_lanes, start, session)?;
        }
        let in_strips = in_parallel.clone().with_template(Template::with_strips);
        self.judge(format!("{name}, in strips"), &in_strips, start, session)?;
        let is_flat = self.region.scop.stmts().iter().all(|stmt| stmt.depth() <= MAX_STRIP_DEPTH);
        if !is_flat || !plans::has_register_tiles(&self.base.template) {
            return Ok(());
        }
        let start = Start { basis, scheduled: None, reorders: false, tree: &own.as_it_is };
        let in_registers = in_parallel.with_template(|template| template.with_register_tiles());
        self.judge(format!("{name}, register tiles"), &in_registers, start, session)
    }

    /// The forms of orders that are made of the normal form.
    fn normal(&mut self, wanted: &[NormalOrder], session: &mut Session) -> Result<(), Error> {
        let number = self.bases.len() - 1;
        let basis = Rc::clone(&self.bases[number].0);
        let Basis { scop, deps, .. } = basis.as_ref();
        let mut orders = NormalOrders::new(scop, deps, self.base);
        for order in wanted {
            let shaping = match orders.get(*order, session) {
                Ok(shaping) => shaping,
                Err(error) if error.has_simpler_form() => return Ok(()),
                Err(error) => return Err(error),
            };
            let tree = shaping.program().tree.clone();
            let own = session.run("order", || OwnOrder::of_tree(scop, deps, tree))?;
            if *order == NormalOrder::Apart {
                self.normal = Some(shaping.program().clone());
            }
            self.shaped_as_it_is(Some(*order), number, &own, session)?;
        }
        Ok(())
    }

    /// The forms of all schedules of a basis.
    fn plans(&mut self, number: usize, session: &mut Session) -> Result<(), Error> {
        let basis = Rc::clone(&self.bases[number].0);
        let [first, others @ ..] = SHAPES;
        let mut schedules: Vec<(String, Options, Scheduled)> = Vec::new();
        for (name, options) in plans(self.base) {
            if self.is_over() {
                return Ok(());
            }
            let decided = match decide(&basis.scop, &basis.deps, &options, session) {
                Ok(decided) => decided,
                Err(error) if error.has_simpler_form() => continue,
                Err(error) => return Err(error),
            };
            let Some(scheduled) = decided.scheduled else { continue };
            if schedules.iter().any(|(_, _, other)| other.tree == scheduled.tree) {
                continue;
            }
            let name = if basis.is_expanded() { format!("{name}, expanded") } else { name };
            let schedule = (name, options, scheduled);
            self.shaped(number, &schedule, first, session)?;
            schedules.push(schedule);
        }
        for shape in others {
            if self.is_over() {
                return Ok(());
            }
            for schedule in schedules.iter().take(N_THOROUGH) {
                self.shaped(number, schedule, shape, session)?;
            }
        }
        Ok(())
    }

    /// The forms with split tiles of the schedule with the deepest bands.
    fn deep(&mut self, session: &mut Session) -> Result<(), Error> {
        let Some((name, options)) = plans::deep(self.base) else { return Ok(()) };
        let depths = self.region.scop.stmts().iter().map(Statement::depth);
        let (least, most) = (depths.clone().min(), depths.max());
        // What fits register tiles is faster with them, by more than the model says.
        let has_registers = self.found.iter().any(|c| c.form.program.scop != c.form.basis.scop);
        if self.is_over() || least == most || has_registers {
            return Ok(());
        }
        let basis = Rc::clone(&self.bases[ORIGINAL].0);
        let decided = decide(&basis.scop, &basis.deps, &options, session);
        let scheduled = match decided {
            Ok(Decided { scheduled: Some(scheduled), .. }) => scheduled,
            Err(error) if !error.has_simpler_form() => return Err(error),
            _ => return Ok(()),
        };
        let is_known = |c: &Candidate| {
            let tree = c.form.scheduled.as_ref().map(|scheduled| &scheduled.tree);
            tree == Some(&scheduled.tree) && Rc::ptr_eq(&c.form.basis, &basis)
        };
        if self.found.iter().any(is_known) {
            return Ok(());
        }
        let schedule = (name, options, scheduled);
        self.shaped(ORIGINAL, &schedule, SPLIT, session)
    }

    /// The form of a schedule of a basis in a shape.
    fn shaped(
        &mut self,
        basis: usize,
        (name, options, scheduled): &(String, Options, Scheduled),
        (shape, apply): (&str, Shape),
        session: &mut Session,
    ) -> Result<(), Error> {
        let reorders = scheduled.report.reorders_live_ranges;
        let tree = &scheduled.tree;
        let start = Start { basis, scheduled: Some(scheduled), reorders, tree };
        let (name, options) = (format!("{name}, {shape}"), options.clone().with_template(apply));
        let n_before = self.found.len();
        self.judge(name.clone(), &options, start, session)?;
        let new = self.found.get(n_before).map(|candidate| &candidate.estimate);
        if new.is_none_or(|cost| cost.threads < DEAR_THREADS * cost.cycles()) {
            return Ok(());
        }
        let alone = Options { no_threads: Some(NoThreads::Dear), ..options };
        self.judge(format!("{name}{ONE_CORE}"), &alone, start, session)
    }

    /// Adds the form of a schedule under some options, unless it is there already or takes too much.
    fn judge(
        &mut self,
        name: String,
        options: &Options,
        start: Start<'_>,
        session: &mut Session,
    ) -> Result<(), Error> {
        if self.has_enough() { Ok(()) } else { self.add(name, options, start, session) }
    }

    /// [`judge`](Self::judge), however good others are.
    fn add(
        &mut self,
        name: String,
        options: &Options,
        start: Start<'_>,
        session: &mut Session,
    ) -> Result<(), Error> {
        let formed = with_budget(self.base.budget / 2, || self.form(options, start, session));
        let form = match formed {
            Ok(Some(form)) => form,
            Ok(None) => return Ok(()),
            Err(error) if error.is_bug() => {
                session.bug(&error, &format!("{name} is left out"));
                return Ok(());
            }
            Err(error) if error.has_simpler_form() => {
                self.left_out.push(name);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let Program { scop, .. } = &form.program;
        let code_bytes = code_bytes(scop, &form.ast, &options.machine);
        if code_bytes > self.room {
            self.too_long.push(name);
            return Ok(());
        }
        let cost = || estimate(scop, &form.ast, &options.machine, &self.params);
        let estimate = session.run("cost", cost)?;
        let (n_before, options) = (self.found.len(), options.clone());
        self.found.push(Candidate { n_before, name, options, form, estimate, code_bytes });
        Ok(())
    }

    /// The form of a schedule under some options; `None` where it is there already.
    fn form(
        &mut self,
        options: &Options,
        start: Start<'_>,
        session: &mut Session,
    ) -> Result<Option<Form>, Error> {
        let Start { basis, scheduled, reorders, tree } = start;
        let (basis, followed) = &mut self.bases[basis];
        let Basis { scop, deps, .. } = basis.as_ref();
        if let Some(template) = options.template.up_to("outer-lanes") {
            let first = Options { template, ..options.clone() };
            let (_, remarks) = shape_again(scop, deps, reorders, tree, &first, followed, session)?;
            if !remarks.iter().any(|remark| remark.pass == "outer-lanes") {
                return Ok(None);
            }
        }
        let shaped = shape_again(scop, deps, reorders, tree, options, followed, session);
        let basis = Rc::clone(basis);
        let (program, remarks) = shaped?;
        if options.template.has("split-tiles")
            && !remarks.iter().any(|remark| remark.pass == "split-tiles")
        {
            // Wavefronts of the other schedules are no worse.
            return Ok(None);
        }
        if self.found.iter().any(|other| other.form.program == program) {
            return Ok(None);
        }
        self.budget.spend(1).map_err(|_| farkas_poly::Error::OutOfBudget)?;
        let ast = generate_again(self.region, &program, &mut self.memory, session)?;
        let basis = basis.beside(&program.scop, session)?;
        let fits = within_memory(&program.scop, &ast, &basis.own, options, &self.params);
        if let Err(reason) = fits {
            self.too_large.insert(reason);
            return Ok(None);
        }
        Ok(Some(Form { basis, scheduled: scheduled.cloned(), program, remarks, ast }))
    }
}
