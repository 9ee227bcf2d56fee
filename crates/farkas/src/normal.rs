//! The normal form of a region: its own loops, divided and sorted, and the text of each nest.

use crate::analyze::analyze;
use crate::basis::Basis;
use crate::prove::verify;
use crate::setting::setting;
use crate::storage::asked_for;
use crate::{Error, Options, Session, Strategy};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_codegen::Target;
use farkas_config::{RecipeFile, print_recipe};
use farkas_deps::Dependences;
use farkas_normalize::{NormalForm, normal_form};
use farkas_poly::with_budget;
use farkas_scop::{Region, Scop};
use farkas_transform::{Action, FuseProducers, Normalize, Planner, Shaping};
use farkas_tree::{NoThreads, Program, ScheduleTree, original_tree};
use std::sync::Arc;

/// isl operations that the normal form of a region may take.
const MAX_OPERATIONS: u64 = 10_000_000;

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
    Options { no_threads, ..expanding(options) }.with_recipe(Arc::new(recipe))
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
    let (_, _, steps) = shaped(&basis.scop, &basis.deps, options, &mut session)?.done();
    let steps: Vec<Action> = steps.into_iter().map(Action::Step).collect();
    let name = format!("normal form of {}", region.scop.name());
    print_recipe(&name, &basis.steps, (Strategy::Original.name(), None), &steps, None).map_err(
        |error| Error::Refused(vec![Diagnostic::new(DiagnosticId::NoRecipe, error.to_string())]),
    )
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

/// The order of the normal form, and that in which producers share loops with their only readers.
pub(crate) fn normal_orders(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<[ScheduleTree; 2], Error> {
    let mut shaping = shaped(scop, deps, options, session)?;
    let apart = shaping.program().tree.clone();
    let planner = Planner::from(FuseProducers {});
    with_budget(MAX_OPERATIONS, || {
        session
            .run(planner.word(), || shaping.follow(&planner, setting(scop, deps, false, options)))
    })?;
    Ok([apart, shaping.program().tree.clone()])
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
