//! The normal form of a region: its own loops, divided and sorted, and the text of each nest.

use crate::analyze::analyze;
use crate::basis::Basis;
use crate::prove::verify;
use crate::setting::setting;
use crate::storage::{asked_for, expanded};
use crate::{Error, Options, Session, Strategy};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_codegen::Target;
use farkas_config::{RecipeFile, print_recipe};
use farkas_deps::Dependences;
use farkas_normalize::{NormalForm, aligned, dims_by_loops, joined, normal_form};
use farkas_poly::with_budget;
use farkas_scop::{MemoryLimit, Region, Scop};
use farkas_transform::{Action, Contract, FuseProducers, Normalize, Planner, Shaping};
use farkas_tree::{NoThreads, Program, ScheduleTree, original_tree};
use std::borrow::Cow;
use std::sync::Arc;

/// isl operations that the normal form of a region may take.
const MAX_OPERATIONS: u64 = 10_000_000;

/// What arrays of temporaries may take: a normal form is to be read rather than run, and has as many as there are temporaries.
const MEMORY: MemoryLimit = MemoryLimit::Times(32);

/// The recipe that leads to the normal form.
const RECIPE: &str = r#"{ "recipe": {
  "name": "normal form",
  "steps": [
    { "step": "schedule", "strategy": "original" },
    { "plan": "normalize" },
    { "plan": "contract" }
  ]
} }
"#;

/// The options with which [`optimize`](crate::optimize) brings a region into its normal form, on one thread: temporaries get places of
/// their own where that lets loops come apart, loops are divided and sorted, and what an iteration has to itself goes back into a
/// buffer.
///
/// # Errors
/// None: the recipe is our own.
pub fn normalizing(options: Options) -> Result<Options, Vec<Diagnostic>> {
    let recipe = RecipeFile::parse(Arc::new(SourceFile::new("normal form", RECIPE)))?;
    let no_threads = Some(NoThreads::Asked);
    let (divide, memory) = (true, MEMORY);
    let options = Options { no_threads, divide, memory, ..expanding(options) };
    options.with_recipe(Arc::new(recipe))
}

/// The same options with places of their own for temporaries.
pub(crate) fn expanding(options: Options) -> Options {
    Options { expand: true, target: Target::OpenMp, ..options }
}

/// The steps that bring a region into its normal form, as the text of a recipe file.
///
/// # Errors
/// When isl refuses or a budget is used up.
pub fn normal_recipe(region: &Region, options: &Options) -> Result<String, Error> {
    let mut session = Session::default();
    let deps = analyze(&region.scop, options, &mut session)?;
    let basis = asked_for(Basis::of(&region.scop, deps), options, &mut session)?;
    let mut shaping = shaped(&basis.scop, &basis.deps, options, &mut session)?;
    let setting = setting(&basis.scop, &basis.deps, false, options);
    with_budget(MAX_OPERATIONS, || shaping.follow(&Contract {}.into(), setting))?;
    let (_, _, steps) = shaping.done();
    let steps: Vec<Action> = steps.into_iter().map(Action::Step).collect();
    let name = format!("normal form of {}", region.scop.name());
    print_recipe(&name, &basis.steps, (Strategy::Original.name(), None), &steps, None).map_err(
        |error| Error::Refused(vec![Diagnostic::new(DiagnosticId::NoRecipe, error.to_string())]),
    )
}

/// A region in which statements that are pieces of one are one, and parts of loops begin with one iteration, which was proved; as it is where
/// nothing changes, or it takes too much work.
///
/// # Errors
/// When isl refuses.
pub(crate) fn in_whole<'a>(
    region: &'a Region,
    session: &mut Session,
) -> Result<Cow<'a, Region>, Error> {
    let join = || -> farkas_normalize::Result<Option<Scop>> {
        let whole = joined(&region.scop)?;
        let aligned = aligned(whole.as_ref().unwrap_or(&region.scop))?;
        Ok(aligned.or(whole))
    };
    let join = || with_budget(MAX_OPERATIONS, join);
    match session.run("join", join).map_err(Error::from) {
        Ok(Some(scop)) => Ok(Cow::Owned(Region { scop, ..region.clone() })),
        Ok(None) => Ok(Cow::Borrowed(region)),
        Err(error) if error.is_out_of_budget() => Ok(Cow::Borrowed(region)),
        Err(error) => Err(error),
    }
}

/// The normal form of a scop, whose order was proved.
pub(crate) fn normalized(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<NormalForm, Error> {
    let program = in_normal_form(scop, deps, options, session)?;
    Ok(session.run("normal form", || normal_form(&program, deps))?)
}

/// The program of a scop in its normal form, whose order was proved.
pub(crate) fn in_normal_form(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Program, Error> {
    let (program, ..) = shaped(scop, deps, options, session)?.done();
    verify(scop, &program, session)?;
    Ok(program)
}

/// A region whose statements have their dimensions in the order of the loops of the normal form, so that what schedulers choose of equals does
/// not depend on how loops were written; none where they have it, or it takes too much work.
///
/// # Errors
/// When isl refuses.
pub(crate) fn in_order_of_loops(
    region: &Region,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Region>, Error> {
    let scop = &region.scop;
    let mut basis = Basis::of(scop, deps.clone());
    if let Some(expanded) = expanded(&basis, options, session)? {
        basis = expanded;
    }
    let (program, ..) = match shaped(&basis.scop, &basis.deps, options, session) {
        Ok(shaping) => shaping.done(),
        Err(error) if error.has_simpler_form() => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut parts = scop.to_builder();
    let mut is_same = true;
    for (stmt, order) in dims_by_loops(&program)? {
        // Expansion may have added statements.
        let Some(own) = scop.stmt_by_name(&program.scop.stmts()[stmt].name) else { continue };
        is_same &= order.is_sorted();
        parts.stmts[own] = scop.stmts()[own].permuted(&order)?;
    }
    if is_same {
        return Ok(None);
    }
    let scop = parts.build().map_err(farkas_transform::Error::Scop)?;
    Ok(Some(Region { scop, ..region.clone() }))
}

/// The order of the normal form, that in which producers share loops with their only readers, and that in which loops are shared by what they
/// read, too.
pub(crate) fn normal_orders(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Vec<ScheduleTree>, Error> {
    let mut shaping = shaped(scop, deps, options, session)?;
    let apart = shaping.program().tree.clone();
    let mut orders = vec![apart];
    for shared_reads in [false, true] {
        let planner = Planner::from(FuseProducers { shared_reads });
        let setting = setting(scop, deps, false, options);
        with_budget(MAX_OPERATIONS, || {
            session.run(planner.word(), || shaping.follow(&planner, setting))
        })?;
        orders.push(shaping.program().tree.clone());
    }
    Ok(orders)
}

/// The program in its normal form, with a record of the steps.
fn shaped(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Shaping, Error> {
    let setting = setting(scop, deps, false, options);
    let mut shaping = Shaping::new(scop, &original_tree(scop)?).recorded();
    let planner = Planner::from(Normalize {});
    with_budget(MAX_OPERATIONS, || {
        session.run(planner.word(), || shaping.follow(&planner, setting))
    })?;
    Ok(shaping)
}
