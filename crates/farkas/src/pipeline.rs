//! What happens to a region, step by step.

use crate::auto::{self, Ranking};
use crate::basis::Basis;
use crate::conditions;
use crate::fallback::{first_of, original};
use crate::one_thread;
use crate::own_order::OwnOrder;
use crate::privatise;
use crate::recipe::Recipe;
use crate::refusal::{dropped, refusal, wants_reasons};
use crate::shape::{setting, shape};
use crate::strategy::scheduling;
use crate::{Error, Options, Session, Strategy, effort, libisl, vector_loops};
use farkas_astgen::{Ast, Memory, Span};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::Condition;
use farkas_cost::{assumed_values, expanded_bytes, touched_bytes};
use farkas_deps::{
    DependenceOptions, Dependences, FlowBy, Locality, LocalityOptions, Verdict, legality,
};
use farkas_interp::Params;
use farkas_poly::with_budget;
use farkas_schedule::{ScheduleOptions, Scheduled};
use farkas_scop::{
    ArrayId, ArrayScope, Assumption, Expr, Leaves, Outcome, OuterIterator, PRIMARY, Region, Scop,
    print_expr,
};
use farkas_transform::{Remark, copies_back, limits};
use farkas_tree::{NoThreads, Program, ScheduleTree, original_tree};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A region and everything that was made of it.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The dependences of the original program.
    pub deps: Dependences,
    /// What the scheduler returned; none where it was not asked: the original order, or isl's own scheduler.
    pub scheduled: Option<Scheduled>,
    /// The statements that are emitted: those of the region, where operands are packed with buffers and what fills them.
    pub scop: Scop,
    /// The order that is emitted; it went through the legality check.
    pub tree: ScheduleTree,
    /// The statement of the region, by name, for each whose instances were split off it.
    pub origins: BTreeMap<String, String>,
    /// The scop that this was made from where values live elsewhere than in the region's; it was proved to compute the same.
    pub storage: Option<Scop>,
    /// The statements in this order before buffers took the place of arrays with places for all values.
    pub before_contraction: Option<Scop>,
    /// Why none of the loops runs on threads, where that was decided of all of them at once.
    pub no_threads: Option<NoThreads>,
    /// The loops of it.
    pub ast: Ast,
    /// The code, in the place of the region.
    pub code: String,
    /// What it takes for granted beside what the region's scop does.
    pub assumptions: Vec<Assumption>,
    /// What was done and why.
    pub remarks: Vec<Remark>,
    /// The forms between which strategy `auto` chose.
    pub ranking: Option<Ranking>,
    /// The options of the form that was emitted, of which strategy `auto` tries many.
    pub options: Box<Options>,
    /// What it took, and what there is to tell.
    pub session: Session,
}

impl Optimized {
    /// The scop whose statements the scheduler ordered and whose dependences these are: the region's, or the one with other storage.
    pub fn basis<'a>(&'a self, region: &'a Region) -> &'a Scop {
        self.storage.as_ref().unwrap_or(&region.scop)
    }

    /// The program that is emitted.
    pub fn program(&self) -> Program {
        let (scop, tree) = (self.scop.clone(), self.tree.clone());
        let origins = self.origins.clone();
        let (storage, before) = (self.storage.clone(), self.before_contraction.clone());
        let no_threads = self.no_threads.clone();
        Program { scop, tree, origins, storage, before_contraction: before, no_threads }
    }
}

/// isl operations that dependences may take; flow by value can take very many where subscripts and guards divide.
const MAX_FLOW_OPERATIONS: u64 = 2_000_000;

/// isl operations that dependences by memory may take: there are as many as pairs of accesses, and nothing takes their place.
const MAX_PAIR_OPERATIONS: u64 = 10_000_000;

/// The dependences of a scop. When flow by value takes too much work, flow by memory, which holds more pairs, takes its
/// place, and a warning says so.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn analyze(
    scop: &Scop,
    options: &Options,
    session: &mut Session,
) -> Result<Dependences, Error> {
    let find = |flow| {
        let choice = DependenceOptions { flow, input: options.strategy.needs_input() };
        let most = match flow {
            FlowBy::Value => MAX_FLOW_OPERATIONS,
            FlowBy::Memory => MAX_PAIR_OPERATIONS,
        };
        with_budget(most, || farkas_deps::dependences(scop, choice))
    };
    match session.run("dependences", || find(options.flow)) {
        Err(farkas_deps::Error::OutOfBudget) if options.flow == FlowBy::Value => {
            session.warn("flow by value takes too much work; flow by memory takes its place");
            Ok(session.run("dependences", || find(FlowBy::Memory))?)
        }
        result => Ok(result?),
    }
}

/// What a schedule of a scop with these dependences may use again. What takes too much work to find is left out, and a
/// warning says so.
///
/// # Errors
/// When isl refuses.
pub fn reuse(scop: &Scop, deps: &Dependences, session: &mut Session) -> Result<Locality, Error> {
    let options = LocalityOptions::default();
    let found = session.run("locality", || farkas_deps::locality(scop, deps, &options))?;
    if found.n_skipped > 0 {
        let n = found.n_skipped;
        session
            .warn(format!("reuse of {n} groups of references takes too much work; it is left out"));
    }
    Ok(found)
}

/// An order that a strategy decided on.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The order.
    pub tree: ScheduleTree,
    /// What our scheduler returned, where it was asked.
    pub scheduled: Option<Scheduled>,
    /// Whether live ranges may be in another order, or are to be.
    pub reorders: bool,
}

/// The tree of our scheduler or isl's, or the original order.
///
/// # Errors
/// When isl refuses; [`Error::Refused`] when the strategy does not fit the scop or leaves no schedule.
pub fn decide(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Decided, Error> {
    let Some(mut strategy) = scheduling(scop, options)? else {
        let (tree, reorders) = match options.strategy {
            Strategy::Libisl => {
                (session.run("schedule", || libisl::schedule(scop, deps, options))?, false)
            }
            _ if options.keeps_order() => (session.run("order", || original_tree(scop))?, false),
            _ => {
                let own = session.run("order", || OwnOrder::of(scop, deps))?;
                (own.with_copies.clone(), own.wants_copies())
            }
        };
        return Ok(Decided { tree, scheduled: None, reorders });
    };
    let choice = ScheduleOptions {
        solver: options.solver,
        explains_influence: options.explains_influence,
        last: copies_back(scop),
        ..ScheduleOptions::default()
    };
    let mut run = |strategy: &mut dyn farkas_schedule::Strategy, choice: &ScheduleOptions| {
        session
            .run("schedule", || farkas_schedule::schedule(scop, deps, strategy, choice))
            .map_err(|error| refusal(error, scop, deps, options))
    };
    let mut scheduled = run(strategy.as_mut(), &choice)?;
    if !choice.explains_influence
        && wants_reasons(&scheduled)
        && let Some(mut again) = scheduling(scop, options)?
    {
        // The same, with the reasons, which take work of their own.
        let choice = ScheduleOptions { explains_influence: true, ..choice };
        scheduled = run(again.as_mut(), &choice)?;
    }
    let (tree, reorders) = (scheduled.tree.clone(), scheduled.report.reorders_live_ranges);
    Ok(Decided { tree, scheduled: Some(scheduled), reorders })
}

/// Everything: from a region to the code that takes its place.
///
/// When a budget is used up or isl's generator fails, the next simpler form is tried, and a warning says so: the schedule without tiles, at last
/// the original order.
///
/// # Errors
/// [`Error::Illegal`] when the legality check refuses a tree, which is a bug of ours; else what stopped even the
/// original order from being printed.
pub fn optimize(region: &Region, options: &Options) -> Result<Optimized, Error> {
    let options = &options.for_region(region);
    let mut session = Session::default();
    let scop = &region.scop;
    let within = || optimize_within(region, options, &mut session);
    let found = match effort::within(scop, options.effort, within) {
        Err(error) if error.is_spent() => {
            session.warn(format!("{error}; the region keeps its order"));
            let (original, basis) = (original(options), Basis::of(scop, Dependences::default()));
            let last = || optimize_as(region, basis, &original, &mut session);
            effort::within(scop, effort::LAST_OPERATIONS, last)?
        }
        found => found?,
    };
    session.diagnostics.extend(found.session.diagnostics);
    Ok(Optimized { session, ..found })
}

/// [`optimize`] without a limit of its own; what it returns has an account of messages on the result alone.
fn optimize_within(
    region: &Region,
    options: &Options,
    session: &mut Session,
) -> Result<Optimized, Error> {
    let scop = &region.scop;
    let deps = analyze(scop, options, session)?;
    if matches!(options.strategy, Strategy::Auto) && options.influence.is_none() {
        return auto::choose(region, &deps, options, session);
    }
    let options = options.for_orders();
    let own = Basis::of(scop, deps);
    let basis = own.clone().asked_for(&options, session)?;
    let spans = basis.own.clone();
    let found = optimize_as(region, basis, &options, session)?;
    let params = assumed_values(scop, &BTreeMap::new())?;
    match within_memory(&found.scop, &found.ast, &spans, &options, &params) {
        Ok(()) => Ok(found),
        Err(reason) => {
            if let Some(refused) = too_large(scop, &options, &reason) {
                return Err(refused);
            }
            session.warn(format!("temporaries stay where they are: {reason}"));
            optimize_as(region, own, &options, session)
        }
    }
}

/// The message on a recipe that gives values places of their own that take too much memory; none where no recipe does.
fn too_large(scop: &Scop, options: &Options, reason: &str) -> Option<Error> {
    let recipe = options.recipe.as_ref()?;
    let message = format!("step `expand` takes too much memory for `{}`: {reason}", scop.name());
    let diagnostic = Diagnostic::new(DiagnosticId::InapplicableStep, message)
        .at(recipe.source(), recipe.storage_place()?, "")
        .note("nothing was written")
        .help("allow more with --memory");
    Some(Error::Refused(vec![diagnostic]))
}

/// Whether the expanded arrays of a form are within the limit on memory, beside what is touched of the region's `own`; the reason
/// where they are not.
pub(crate) fn within_memory(
    scop: &Scop,
    ast: &Ast,
    own: &[Span],
    options: &Options,
    params: &Params,
) -> Result<(), String> {
    if ast.expanded.is_empty() {
        return Ok(());
    }
    let (expanded, own) = (expanded_bytes(scop, ast, params), touched_bytes(own, params));
    if options.memory.allows(expanded, own) {
        return Ok(());
    }
    let at: Vec<String> = params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) };
    Err(format!(
        "their arrays would take {:.1} MB beside {:.1} MB{at}, and {} are allowed",
        expanded / 1e6,
        own / 1e6,
        options.memory
    ))
}

/// [`optimize`] by one strategy, of a basis; what it returns has an account of messages on the result alone.
pub(crate) fn optimize_as(
    region: &Region,
    basis: Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Optimized, Error> {
    let basis = Rc::new(basis);
    let attempt = |options: &Options, session: &mut Session| emit(region, &basis, options, session);
    first_of(region.scop.name(), options, session, attempt)
}

/// One attempt with fixed options.
fn emit(
    region: &Region,
    basis: &Rc<Basis>,
    options: &Options,
    session: &mut Session,
) -> Result<Optimized, Error> {
    let Basis { scop, deps, .. } = basis.as_ref();
    let Decided { tree, scheduled, reorders } = decide(scop, deps, options, session)?;
    let (program, remarks) = proved(scop, deps, reorders, &tree, options, session)?;
    let ast = generate(region, &program, session)?;
    let form = Form { basis: Rc::clone(basis), scheduled, program, remarks, ast };
    let recipe = options.recipe.as_ref();
    let up_to = recipe.map(|recipe| recipe.original_up_to(&region.scop)).transpose();
    let up_to = up_to.map_err(Error::Refused)?.flatten();
    printed(region, form, &options.deciding(), (options, up_to.as_deref()), session)
}

/// A region in a new order.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// What it was made of.
    pub(crate) basis: Rc<Basis>,
    /// What the scheduler returned, where it was asked.
    pub(crate) scheduled: Option<Scheduled>,
    /// The statements in their order.
    pub(crate) program: Program,
    /// What was done and why.
    pub(crate) remarks: Vec<Remark>,
    /// The loops.
    pub(crate) ast: Ast,
}

/// The code of a form that was proved; its first comment names the strategy. Where sizes are given, by parameter, it runs where one
/// of them is larger; else the original does.
///
/// # Errors
/// When isl refuses.
pub(crate) fn printed(
    region: &Region,
    form: Form,
    strategy: &str,
    (options, original_up_to): (&Options, Option<&[(String, i64)]>),
    session: &mut Session,
) -> Result<Optimized, Error> {
    let Form { basis, scheduled, program, remarks: shaped, ast } = form;
    let missing = vector_loops::missing(&basis.scop, &program, scheduled.as_ref(), options)?;
    let Program { scop, tree, origins, before_contraction, no_threads, .. } = program;
    let mut remarks = basis.remarks.clone();
    remarks.extend(shaped);
    remarks.extend(privatise::told(&scop, &ast));
    remarks.extend(one_thread::told(&basis.scop, no_threads.as_ref()));
    let storage = basis.is_expanded().then(|| basis.scop.clone());
    let limits = match before_contraction {
        Some(_) => limits(&basis.scop)?,
        None => Vec::new(),
    };
    let guards =
        session.run("guards", || conditions::guards(region, &scop, (&tree, &ast), options))?;
    let sizes = session.run("print", || farkas_codegen::largest_sizes(&scop, &ast));
    let limits = limits.iter().map(|(name, most)| format!("{name} <= {most}"));
    let fits = sizes.iter().flat_map(|sizes| sizes.conditions.clone());
    let is_large = original_up_to.filter(|sizes| !sizes.is_empty()).map(conditions::is_large);
    let limits = is_large.into_iter().chain(limits).chain(fits).collect();
    let otherwise = conditions::otherwise(region);
    let memory = conditions::memory(region, (&scop, &ast), &basis.own, options.memory);
    let tested = memory.as_ref().filter(|assumption| assumption.outcome == Outcome::Tested);
    let tested = tested.map(|_| (options.memory, basis.own.clone()));
    let assumptions: Vec<Assumption> = memory.into_iter().collect();
    let most = sizes.map(|sizes| sizes.most);
    let condition = Condition { guards, limits, memory: tested, most, otherwise };
    let mut needed = conditions::needed(region, options);
    needed.extend(&assumptions);
    let comments = headlines(region, strategy, &needed);
    let code = session.run("print", || print(region, &scop, &ast, (comments, condition), options));
    let mut diagnostics = dropped(scheduled.as_ref(), &basis.scop, &basis.deps, options);
    diagnostics.extend(missing);
    Ok(Optimized {
        deps: basis.deps.clone(),
        scheduled,
        scop,
        tree,
        origins,
        storage,
        before_contraction,
        no_threads,
        ast,
        code,
        assumptions,
        remarks,
        ranking: None,
        options: Box::new(options.clone()),
        session: Session { diagnostics, ..Session::default() },
    })
}

/// The program of [`shape`], which is legal.
///
/// # Errors
/// [`Error::Refused`] where the user's recipe is not; [`Error::Illegal`] where anything else is not.
pub(crate) fn proved(
    scop: &Scop,
    deps: &Dependences,
    reorders: bool,
    tree: &ScheduleTree,
    options: &Options,
    session: &mut Session,
) -> Result<(Program, Vec<Remark>), Error> {
    let (program, remarks) = shape(scop, deps, reorders, tree, options, session)?;
    match (verify(scop, &program, session), &options.recipe) {
        (Err(Error::Illegal { counterexample, .. }), Some(file)) => {
            let setting = setting(scop, deps, reorders, options);
            Err(Recipe { file, setting, options }.illegal(tree, counterexample)?)
        }
        (proof, _) => proof.map(|()| (program, remarks)),
    }
}

/// Proves that `program` keeps the meaning of `scop`.
///
/// # Errors
/// [`Error::Illegal`] with a counterexample when it does not.
pub fn verify(scop: &Scop, program: &Program, session: &mut Session) -> Result<(), Error> {
    match session.run("verify", || legality::check_program(scop, program))? {
        Verdict::Legal => Ok(()),
        Verdict::Illegal(counterexample) => {
            Err(Error::Illegal { name: scop.name().to_owned(), counterexample })
        }
    }
}

/// The loops of a program made from a region.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn generate(region: &Region, program: &Program, session: &mut Session) -> Result<Ast, Error> {
    generate_again(region, program, &mut Memory::default(), session)
}

/// [`generate`], where some of the loops were generated for other programs before.
pub(crate) fn generate_again(
    region: &Region,
    program: &Program,
    memory: &mut Memory,
    session: &mut Session,
) -> Result<Ast, Error> {
    let reserved = region.host.reserved_names.clone();
    let choice = farkas_astgen::Options { reserved, ..farkas_astgen::Options::default() };
    let Program { scop, tree, .. } = program;
    let generated = || farkas_astgen::generate_again(scop, tree, &choice, memory);
    Ok(session.run("astgen", generated)?)
}

/// The local scalars of a region that other arrays stand for everywhere.
fn replaced(region: &Scop, scop: &Scop) -> Vec<String> {
    let uses = |scop: &Scop, array: ArrayId| {
        scop.stmts().iter().any(|stmt| stmt.accesses.iter().any(|access| access.array == array))
    };
    let arrays = region.arrays().iter_enumerated();
    let local = arrays.filter(|(_, a)| a.scope == ArrayScope::Local && a.rank() == 0);
    let replaced = local.filter(|(id, _)| uses(region, *id) && !uses(scop, *id));
    replaced.map(|(_, array)| array.source_name.clone()).collect()
}

/// The C text of the loops, with what the rest of the function still needs of the user's iterators.
fn print(
    region: &Region,
    scop: &Scop,
    ast: &Ast,
    (headlines, condition): (Vec<String>, Condition),
    options: &Options,
) -> String {
    let guards = region.host.macro_guards.iter().filter_map(|g| {
        Some(farkas_codegen::MacroGuard { name: g.name.clone(), value: g.testable?.to_string() })
    });
    let mut comments = vec![Vec::new(); ast.body.len()];
    if let Some(first) = comments.first_mut() {
        *first = headlines;
    }
    let unused = region
        .host
        .outer_iterators
        .iter()
        .filter(|i| !i.is_used_elsewhere && i.final_value.is_none());
    let choice = farkas_codegen::Options {
        target: options.target,
        margin: region.host.indent.clone(),
        nest_comments: comments,
        macro_guards: guards.collect(),
        condition,
        reserved: region.host.reserved_names.clone(),
        stack_bytes: options.machine.stack_bytes,
        unused: unused.map(|i| i.name.clone()).chain(replaced(&region.scop, scop)).collect(),
        last: region.host.outer_iterators.iter().filter_map(|i| final_value(region, i)).collect(),
        ..farkas_codegen::Options::default()
    };
    let text = farkas_codegen::print_region(scop, ast, &choice);
    if region.host.needs_braces {
        let margin = &region.host.indent;
        return format!("{margin}{{\n{text}{margin}}}\n");
    }
    text
}

/// The statement that gives an iterator of the user's the value that it has after the region, where that is read.
fn final_value(region: &Region, iterator: &OuterIterator) -> Option<String> {
    let value = print_expr(iterator.final_value.as_ref()?, &ParamLeaves(&region.scop));
    Some(format!("{} = {value};", iterator.name))
}

/// Leaves of expressions over the parameters alone.
struct ParamLeaves<'a>(&'a Scop);

impl Leaves for ParamLeaves<'_> {
    fn leaf(&self, leaf: &Expr) -> (String, u8) {
        let text = match leaf {
            Expr::Param(param) => self.0.params()[*param].name.clone(),
            Expr::Int { text, .. }
            | Expr::Float(text)
            | Expr::Verbatim(text)
            | Expr::Local(text) => text.clone(),
            _ => String::new(),
        };
        (text, PRIMARY)
    }
}

/// The first lines of the first nest's comment: what was done, and what is taken for granted.
fn headlines(region: &Region, strategy: &str, needed: &[&Assumption]) -> Vec<String> {
    let n = region.scop.stmts().len();
    let mut lines =
        vec![format!("strategy {strategy}, {n} statement{}", if n == 1 { "" } else { "s" })];
    lines.extend(conditions::told(needed));
    let untested = region.host.macro_guards.iter().filter(|g| g.testable.is_none());
    lines.extend(untested.map(|g| format!("holds for {} = {} alone.", g.name, g.value)));
    lines
}
