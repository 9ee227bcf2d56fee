//! What happens to a region, step by step.

use crate::analyze::analyze;
use crate::auto;
use crate::basis::Basis;
use crate::blas::calls;
use crate::code::{Optimized, Small, Stays, printed};
use crate::decide::{Decided, decide};
use crate::enough::{Worth, with_threads, worth};
use crate::fallback::{first_of, original};
use crate::form::{Form, generate_as_asked, within_memory};
use crate::normal::in_order_of_loops;
use crate::prove::{proved, verify};
use crate::storage::asked_for;
use crate::template::Template;
use crate::{Error, Options, Session, Strategy, effort};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::Target;
use farkas_cost::assumed_values;
use farkas_deps::Dependences;
use farkas_scop::{ArrayScope, Region, Scop};
use farkas_transform::without_gaps;
use farkas_tree::Program;
use std::rc::Rc;

/// Everything: from a region to the code that takes its place.
///
/// When a budget is used up or isl's generator fails, the next simpler form is tried, and a warning says so: the schedule without tiles, at last
/// the original order.
///
/// # Errors
/// [`Error::Illegal`] when the legality check refuses a tree, which is a bug of ours; else what stopped even the
/// original order from being printed, or the used-up budget where that is not to be printed.
pub fn optimize(region: &Region, options: &Options) -> Result<Optimized, Error> {
    let options = &options.for_region(region);
    let mut session = Session::default();
    let scop = &region.scop;
    let within = || optimize_within(region, options, &mut session);
    let found = match effort::within(scop, options.effort, within) {
        Err(error) if error.is_spent() && options.last_effort > 0 => {
            session.warn(format!("{error}; the region keeps its order"));
            let (original, basis) = (original(options), Basis::of(scop, Dependences::default()));
            let basis = Rc::new(basis);
            let last = || optimize_as(region, &basis, &original, &mut session);
            let found = effort::within(scop, options.last_effort, last)?;
            Optimized { stays: Some(Stays::OutOfWork), ..found }
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
    if options.blas {
        let calls = calls(region, options, session)?;
        let options = Options { blas: false, ..options.clone() };
        let found = optimize_within(calls.region.as_ref().unwrap_or(region), &options, session)?;
        return Ok(calls.around(found));
    }
    let scop = &region.scop;
    let deps = analyze(scop, options, session)?;
    let is_auto = matches!(options.strategy, Strategy::Auto) && options.influence.is_none();
    if is_auto && !matches!(options.target, Target::Device(_)) {
        return match options.normalize {
            true => in_normal_loops(region, deps, options, session, by_auto),
            false => by_auto(region, deps, options, session),
        };
    }
    let options = options.for_orders();
    match options.recipe.as_ref().is_some_and(|recipe| recipe.is_normal()) {
        true => in_normal_loops(region, deps, &options, session, by_strategy),
        false => by_strategy(region, deps, &options, session),
    }
}

/// What `work` makes of a region whose statements have their dimensions in the order of the loops of the normal form.
fn in_normal_loops(
    region: &Region,
    deps: Dependences,
    options: &Options,
    session: &mut Session,
    work: fn(&Region, Dependences, &Options, &mut Session) -> Result<Optimized, Error>,
) -> Result<Optimized, Error> {
    let Some(renamed) = in_order_of_loops(region, &deps, options, session)? else {
        return work(region, deps, options, session);
    };
    let deps = analyze(&renamed.scop, options, session)?;
    let found = work(&renamed, deps, options, session)?;
    let storage = found.storage.clone().or(Some(renamed.scop));
    Ok(Optimized { storage, ..found })
}

/// [`optimize_within`] by a strategy that finds one order.
fn by_strategy(
    region: &Region,
    deps: Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Optimized, Error> {
    let scop = &region.scop;
    let own = Basis::of(scop, deps);
    let basis = asked_for(own.clone(), options, session)?;
    let basis = Rc::new(basis);
    let found = optimize_as(region, &basis, options, session)?;
    let spans = basis.beside(&found.scop, session)?.own.clone();
    let params = assumed_values(scop, &region.host.sizes)?;
    match within_memory(&found.scop, &found.ast, &spans, options, &params) {
        Ok(()) => Ok(found),
        Err(reason) => {
            if let Some(refused) = too_large(scop, options, &reason) {
                return Err(refused);
            }
            session.warn(format!("temporaries stay where they are: {reason}"));
            optimize_as(region, &Rc::new(own), options, session)
        }
    }
}

/// [`optimize_within`] by strategy `auto`; the original where no form of it can be proved.
fn by_auto(
    region: &Region,
    deps: Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Optimized, Error> {
    if let Some(chosen) = auto::choose(region, &deps, options, session)? {
        return Ok(chosen);
    }
    let basis = Rc::new(Basis::of(&region.scop, deps));
    optimize_as(region, &basis, &original(options), session)
}

/// The message on a recipe that gives values places of their own that take too much memory; none where no recipe does.
fn too_large(scop: &Scop, options: &Options, reason: &str) -> Option<Error> {
    let recipe = options.recipe.as_ref()?;
    let message = format!("`expand` takes too much memory for `{}`: {reason}", scop.name());
    let diagnostic = Diagnostic::new(DiagnosticId::InapplicableStep, message)
        .at(recipe.source(), recipe.expand_place()?, "")
        .note("nothing was written")
        .help("allow more with --memory");
    Some(Error::Refused(vec![diagnostic]))
}

/// [`optimize`] by one strategy, of a basis; what it returns has an account of messages on the result alone.
fn optimize_as(
    region: &Region,
    basis: &Rc<Basis>,
    options: &Options,
    session: &mut Session,
) -> Result<Optimized, Error> {
    let attempt = |options: &Options, session: &mut Session| {
        first_of(region.scop.name(), options, session, |options, session| {
            emit(region, basis, options, session)
        })
    };
    let found = attempt(options, session)?;
    let has_buffers = found.scop.arrays().iter().any(|array| array.scope == ArrayScope::Buffer);
    if found.stays != Some(Stays::NotForDevice) || !has_buffers || options.recipe.is_some() {
        return Ok(found);
    }
    // Kernels share what is staged, or keep it: without that, more of them fit a device.
    let plain = options.clone().with_template(Template::without_gpu_tiles);
    let again = attempt(&plain, session)?;
    if again.stays.is_some() {
        return Ok(found);
    }
    let told = found.session.diagnostics.last().map_or("", |told| told.message.as_str());
    let why = told.split_once(" stays on the host: ").map_or(told, |(_, why)| why);
    session.warn(format!("{why}; kernels stage nothing"));
    Ok(again)
}

/// A program that was proved, whose loops count their iterations.
fn counting(scop: &Scop, program: Program, session: &mut Session) -> Result<Program, Error> {
    let counting = without_gaps(&program)?;
    if counting.tree != program.tree {
        verify(scop, &counting, session)?;
    }
    Ok(counting)
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
    let program = match options.whole_loops {
        true => counting(scop, program, session)?,
        false => program,
    };
    let ast = generate_as_asked(region, &program, options, session)?;
    let basis = basis.beside(&program.scop, session)?;
    let form = Form { basis, scheduled, program, remarks, ast };
    let recipe = options.recipe.as_ref();
    let up_to = recipe.map(|recipe| recipe.original_up_to(&region.scop)).transpose();
    let up_to = up_to.map_err(Error::Refused)?.flatten().unwrap_or_default();
    let form = with_threads(region, form, options, session)?;
    let Worth { form, works, needs_threads } = match options.keeps_original() {
        true => worth(region, form, None, options, session)?,
        false => Worth { form, works: Vec::new(), needs_threads: false },
    };
    let small = Small { up_to, works, needs_threads, ..Small::default() };
    printed(region, form, &options.deciding(), (options, small), session)
}
