//! Other storage for a region: by a recipe's steps, by the planner that gives temporaries places of their own, or none; and statements
//! that become several, so that temporaries are such.

use crate::analyze::analyze;
use crate::basis::{Basis, MAX_OPERATIONS, within};
use crate::recipe::Recipe;
use crate::scheduling::lines;
use crate::setting::setting;
use crate::{Error, Options, Session};
use farkas_astgen::spans;
use farkas_base::NameGenerator;
use farkas_config::{RecipeFile, RecipeStep};
use farkas_deps::{Counterexample, Verdict, legality};
use farkas_poly::with_budget;
use farkas_scop::{ArrayId, ArrayScope, Scop};
use farkas_steps::{Step, Subject, buffer_name};
use farkas_transform::{
    Action, Divide, Error as TransformError, Expanded, Planner, Remark, Shaping, expand_storage,
};
use farkas_tree::{Program, original_tree};
use std::collections::BTreeSet;

/// The name of the pass in remarks.
const PASS: &str = "expand";

/// A basis with other storage where the user's recipe says so, or where the user asks for it and there is something to gain.
///
/// # Errors
/// [`Error::Refused`] with the place of a recipe's step that does not apply or is illegal; when isl refuses.
pub(crate) fn asked_for(
    basis: Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Basis, Error> {
    let recipe = options.recipe.as_deref().filter(|recipe| recipe.storage_place().is_some());
    if recipe.is_none() && !options.expand && !options.divide {
        return Ok(basis);
    }
    if !options.may_expand() {
        session.warn("temporaries stay where they are: plain C allocates nothing");
        return Ok(basis);
    }
    match recipe {
        Some(file) => by_recipe(file, basis, options, session),
        None => {
            let keeps_arrays = options.divide || !options.array_homes;
            let sharing = keeps_arrays.then(|| scalars(&basis.scop));
            let divided = match options.divide {
                true => divided(&basis, options, session)?,
                false => None,
            };
            let basis = divided.unwrap_or(basis);
            if !options.expand {
                return Ok(basis);
            }
            Ok(expanded_sharing(&basis, sharing.as_ref(), options, session)?.unwrap_or(basis))
        }
    }
}

/// The scop with places of their own for the values of temporaries, proved to compute the same; `None` where there are no
/// such temporaries, or it takes too much work.
///
/// # Errors
/// When isl refuses.
pub(crate) fn expanded(
    basis: &Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Basis>, Error> {
    expanded_sharing(basis, None, options, session)
}

/// What may live in elements of other arrays where statements are divided, and in normal forms: the scalars that were there before. The parts'
/// temporaries and whole arrays do not, since what shares a place stays together, and which array takes in which depends on the loops
/// around them.
fn scalars(undivided: &Scop) -> BTreeSet<ArrayId> {
    let arrays = undivided.arrays().iter_enumerated();
    arrays.filter(|(_, array)| array.rank() == 0).map(|(id, _)| id).collect()
}

/// The same, where nothing but `sharing`, if that is said, may live in elements of others.
fn expanded_sharing(
    basis: &Basis,
    sharing: Option<&BTreeSet<ArrayId>>,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Basis>, Error> {
    match try_expanded(basis, sharing, options, session) {
        Err(error) if error.is_out_of_budget() => Ok(None),
        result => result,
    }
}

/// The same, within budgets.
fn try_expanded(
    basis: &Basis,
    sharing: Option<&BTreeSet<ArrayId>>,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Basis>, Error> {
    let Basis { scop: before, deps, .. } = basis;
    let mut remarks = basis.remarks.clone();
    let may_share = |array: ArrayId| sharing.is_none_or(|some| some.contains(&array));
    let expand = || expand_storage(before, deps, may_share, &mut remarks);
    let expanded = session.run("expand", || with_budget(MAX_OPERATIONS, expand))?;
    let Some(Expanded { scop, steps: own_steps }) = expanded else { return Ok(None) };
    let check = || with_budget(MAX_OPERATIONS, || legality::check_storage(before, &scop));
    if let Verdict::Illegal(found) = session.run("verify", check)? {
        session.warn(format!("temporaries stay where they are: {found}"));
        return Ok(None);
    }
    let scop = with_free_names(scop)?;
    let deps = analyze(&scop, options, session)?;
    let own = match basis.is_expanded() {
        true => basis.own.clone(),
        false => within(session, || spans(before))?,
    };
    let mut steps = basis.steps.clone();
    steps.extend(own_steps.into_iter().map(Step::Expand));
    Ok(Some(Basis { scop, deps, remarks, steps, own }))
}

/// The scop in which variables of the region that nothing uses any more leave their names to buffers that take the place of arrays: what such a buffer's
/// values lived in is called like it.
fn with_free_names(scop: Scop) -> Result<Scop, Error> {
    let wanted: BTreeSet<String> = scop
        .arrays()
        .iter()
        .filter(|array| array.scope == ArrayScope::Expanded)
        .map(|array| buffer_name(&array.name))
        .collect();
    let is_used = |id: ArrayId| {
        scop.stmts().iter().any(|stmt| stmt.accesses.iter().any(|access| access.array == id))
    };
    let in_the_way: Vec<ArrayId> = scop
        .arrays()
        .iter_enumerated()
        .filter(|(id, array)| {
            array.scope == ArrayScope::Region && wanted.contains(&array.name) && !is_used(*id)
        })
        .map(|(id, _)| id)
        .collect();
    if in_the_way.is_empty() {
        return Ok(scop);
    }
    let mut names = NameGenerator::new(scop.names());
    let mut parts = scop.to_builder();
    for id in in_the_way {
        let name = names.fresh(&format!("{}_before", parts.arrays[id].name));
        parts.arrays[id].source_name.clone_from(&name);
        parts.arrays[id].name = name;
    }
    Ok(parts.build().map_err(TransformError::Scop)?)
}

/// The scop with the parts of statements in their place where loops may come apart between them, proved to compute the same; `None`
/// where there are no such statements, or it takes too much work.
///
/// # Errors
/// When isl refuses.
pub(crate) fn divided(
    basis: &Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Basis>, Error> {
    match try_divided(basis, options, session) {
        Err(error) if error.is_out_of_budget() => Ok(None),
        result => result,
    }
}

/// The same, within budgets.
fn try_divided(
    basis: &Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Basis>, Error> {
    let Basis { scop, deps, .. } = basis;
    let mut shaping = Shaping::new(scop, &original_tree(scop)?).recorded();
    let (planner, setting) = (Planner::from(Divide {}), setting(scop, deps, false, options));
    let plan = || with_budget(MAX_OPERATIONS, || shaping.follow(&planner, setting));
    session.run("divide", plan)?;
    let (_, remarks, steps) = shaping.done();
    let mut after = basis.clone();
    after.remarks.extend(remarks);
    if steps.is_empty() {
        return Ok(Some(after));
    }
    if !basis.is_expanded() {
        after.own = within(session, || spans(scop))?;
    }
    for step in steps {
        let new = match done(&step, &after, session)? {
            Ok(new) => new,
            Err(found) => {
                session.warn(format!("statements stay whole: {found}"));
                return Ok(None);
            }
        };
        after.steps.push(step);
        after.scop = new;
    }
    after.deps = analyze(&after.scop, options, session)?;
    Ok(Some(after))
}

/// The scop after a step, or what the check has against it.
fn done(
    step: &Step,
    basis: &Basis,
    session: &mut Session,
) -> Result<Result<Scop, Box<Counterexample>>, Error> {
    let Basis { scop, deps, .. } = basis;
    let before = Program::original(scop)?;
    let subject = Subject { program: &before, deps: Some(deps) };
    let after = session.run(step.word(), || step.apply(&subject)).map_err(TransformError::from)?;
    let check = || match step {
        Step::Divide(_) => legality::check_division(scop, &after),
        _ => legality::check_storage(scop, &after.scop),
    };
    Ok(match session.run("verify", check)? {
        Verdict::Legal => Ok(after.scop),
        Verdict::Illegal(found) => Err(found),
    })
}

/// A basis after the steps of a recipe that come before its order: each is proved by itself.
///
/// # Errors
/// [`Error::Refused`] with the place of a step that does not apply or is illegal; when isl refuses.
fn by_recipe(
    file: &RecipeFile,
    mut basis: Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Basis, Error> {
    let mut sharing = None;
    for at in 0..file.n_storage() {
        let step = file.resolve_storage(at, &basis.scop, lines(options)).map_err(Error::Refused)?;
        let Some(step) = step else { continue };
        basis = match &step.action {
            Action::Plan(Planner::Divide(_)) => {
                sharing.get_or_insert_with(|| scalars(&basis.scop));
                divided(&basis, options, session)?.unwrap_or(basis)
            }
            Action::Plan(_) => {
                let expanded = expanded_sharing(&basis, sharing.as_ref(), options, session)?;
                expanded.unwrap_or(basis)
            }
            Action::Step(own) => by_step(file, &step, own, basis, options, session)?,
        };
    }
    Ok(basis)
}

/// A basis after one of these steps.
fn by_step(
    file: &RecipeFile,
    step: &RecipeStep,
    own: &Step,
    mut basis: Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Basis, Error> {
    let reason = match done(own, &basis, session) {
        Ok(Ok(scop)) => return basis.after(own.clone(), scop, options, session),
        Err(Error::Transform(TransformError::Step(reason))) => Ok(reason),
        Ok(Err(found)) => Err(found),
        Err(error) => return Err(error),
    };
    let setting = setting(&basis.scop, &basis.deps, false, options);
    let recipe = Recipe { file, setting, options };
    match reason {
        Ok(reason) if step.is_optional => {
            let text = format!("{} is left out: {reason}", step.action.name());
            basis.remarks.push(Remark { pass: PASS, stmts: Vec::new(), text });
            Ok(basis)
        }
        Ok(reason) => Err(Error::Refused(vec![recipe.inapplicable(step, &reason)])),
        Err(found) => Err(recipe.refused(step, &found)),
    }
}
