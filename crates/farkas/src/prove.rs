//! The legality check of what an order was shaped into.

use crate::recipe::Recipe;
use crate::setting::setting;
use crate::shape::shape;
use crate::{Error, Options, Session};
use farkas_deps::{Dependences, Verdict, legality};
use farkas_scop::Scop;
use farkas_transform::Remark;
use farkas_tree::{Program, ScheduleTree};

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
        (Err(Error::Deps(farkas_deps::Error::Unsupported { reason, .. })), Some(file)) => {
            let setting = setting(scop, deps, reorders, options);
            Err(Recipe { file, setting, options }.misplaced(reason))
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
