//! Other storage for a region: by a recipe's steps, by the planner that gives temporaries places of their own, or none.

use crate::analyze::analyze;
use crate::basis::{Basis, MAX_OPERATIONS, within};
use crate::recipe::Recipe;
use crate::scheduling::lines;
use crate::setting::setting;
use crate::{Error, Options, Session};
use farkas_astgen::spans;
use farkas_config::RecipeFile;
use farkas_deps::{Verdict, legality};
use farkas_poly::with_budget;
use farkas_steps::{Rewrite, Step, Subject};
use farkas_transform::{Action, Error as TransformError, Expanded, Remark, expand_storage};
use farkas_tree::Program;

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
    if recipe.is_none() && !options.expand {
        return Ok(basis);
    }
    if !options.may_expand() {
        session.warn("temporaries stay where they are: plain C allocates nothing");
        return Ok(basis);
    }
    match recipe {
        Some(file) => by_recipe(file, basis, options, session),
        None => Ok(expanded(&basis, options, session)?.unwrap_or(basis)),
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
    match try_expanded(basis, options, session) {
        Err(error) if error.is_out_of_budget() => Ok(None),
        result => result,
    }
}

/// The same, within budgets.
fn try_expanded(
    basis: &Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Basis>, Error> {
    let Basis { scop: before, deps, .. } = basis;
    let mut remarks = Vec::new();
    let expand = || expand_storage(before, deps, &mut remarks);
    let expanded = session.run("expand", || with_budget(MAX_OPERATIONS, expand))?;
    let Some(Expanded { scop, steps }) = expanded else { return Ok(None) };
    let check = || with_budget(MAX_OPERATIONS, || legality::check_storage(before, &scop));
    if let Verdict::Illegal(found) = session.run("verify", check)? {
        session.warn(format!("temporaries stay where they are: {found}"));
        return Ok(None);
    }
    let deps = analyze(&scop, options, session)?;
    let own = within(session, || spans(before))?;
    Ok(Some(Basis { scop, deps, remarks, steps, own }))
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
    let steps = file.resolve_storage(&basis.scop, lines(options)).map_err(Error::Refused)?;
    for step in steps {
        let Action::Step(Step::Expand(expand)) = &step.action else { continue };
        let Basis { scop, deps, .. } = &basis;
        let before = Program::original(scop)?;
        let subject = Subject { program: &before, deps: Some(deps) };
        let recipe = Recipe { file, setting: setting(scop, deps, false, options), options };
        let done = session.run("expand", || expand.rewrite(&subject));
        let new = match done.map_err(TransformError::from) {
            Ok(program) => program.scop,
            Err(TransformError::Step(reason)) if step.is_optional => {
                let text = format!("{} is left out: {reason}", step.action.name());
                basis.remarks.push(Remark { pass: PASS, stmts: Vec::new(), text });
                continue;
            }
            Err(TransformError::Step(reason)) => {
                return Err(Error::Refused(vec![recipe.inapplicable(&step, &reason)]));
            }
            Err(error) => return Err(error.into()),
        };
        let proof = session.run("verify", || legality::check_storage(scop, &new))?;
        if let Verdict::Illegal(found) = proof {
            return Err(recipe.refused(&step, &found));
        }
        basis = basis.after(expand.clone(), new, options, session)?;
    }
    Ok(basis)
}
