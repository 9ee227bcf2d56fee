//! What is tried one after another until something works.

use crate::tiling::TileSizes;
use crate::{Error, Options, Session, Strategy};

/// The result of the first attempt that has one: as `options` say, then without register tiles, without tiles, at last in the original
/// order. A recipe is followed as it is or not at all. A warning says what was given up because it took too much work, a
/// message what because of a bug of ours.
///
/// # Errors
/// What no simpler form helps against; [`Error::Exhausted`] when no attempt succeeds.
pub(crate) fn first_of<T>(
    name: &str,
    options: &Options,
    session: &mut Session,
    mut attempt: impl FnMut(&Options, &mut Session) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut attempts = attempts(options).into_iter().peekable();
    while let Some((_, options)) = attempts.next() {
        let error = match attempt(&options, session) {
            Err(error) if error.has_simpler_form() || error.is_bug() => error,
            result => return result,
        };
        let next = attempts.peek().map_or("not at all", |(how, _)| how);
        let instead = format!("the region is generated {next}");
        if error.is_bug() {
            session.bug(&error, &instead);
        } else {
            session.warn(format!("{error}; {instead}"));
        }
    }
    Err(Error::Exhausted { name: name.to_owned() })
}

/// The attempts in their order, each with what it goes without.
fn attempts(options: &Options) -> Vec<(&'static str, Options)> {
    let original = ("in the original order", original(options));
    if options.recipe.is_some() {
        return vec![("as asked for", options.clone()), original];
    }
    let plain = options.clone().with_template(|template| template.without_register_tiles());
    let untiled = plain.clone().with_template(|template| template.tiled(TileSizes::none()));
    let mut attempts = vec![("as asked for", options.clone())];
    if options.template.has("register-tiles") {
        attempts.push(("without register tiles", plain));
    }
    attempts.extend([("without tiles", untiled), original]);
    attempts
}

/// The options that leave a region in its own order, as the simplest form.
pub(crate) fn original(options: &Options) -> Options {
    let original = Options {
        strategy: Strategy::Original,
        influence: None,
        recipe: None,
        shapes_own_order: false,
        expand: false,
        divide: false,
        ..options.clone()
    };
    original.with_template(|template| template.tiled(TileSizes::none()).without_register_tiles())
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_base::DiagnosticId;

    /// What is attempted under `options` where all but the last attempt fail with `error`, and what is told.
    fn attempted(options: &Options, error: fn() -> Error) -> (Vec<Options>, Session) {
        let (mut tried, mut session) = (Vec::new(), Session::default());
        let found = first_of("f", options, &mut session, |options, _| {
            tried.push(options.clone());
            if options.strategy.is_original() { Ok(()) } else { Err(error()) }
        });
        found.expect("the original order");
        (tried, session)
    }

    /// A step that was planned and does not apply.
    fn bug() -> Error {
        let reason = farkas_steps::NotApplicable::NoStatement("S".to_owned());
        farkas_transform::Error::from(farkas_steps::Error::from(reason)).into()
    }

    #[test]
    fn a_bug_is_told_and_a_simpler_form_takes_over() {
        let (tried, session) = attempted(&Options::default(), bug);
        assert_eq!(tried.len(), 3, "as asked for, without tiles, in the original order");
        assert!(session.warnings.is_empty() && session.diagnostics.len() == 2);
        assert_eq!(session.noticed_bug().map(|d| d.id), Some(DiagnosticId::IllegalForm));
    }

    #[test]
    fn too_much_work_is_a_warning() {
        let options = Options::default().with_template(|template| template.with_register_tiles());
        let (tried, session) = attempted(&options, || farkas_poly::Error::OutOfBudget.into());
        let has_registers: Vec<bool> =
            tried.iter().map(|o| o.template.has("register-tiles")).collect();
        assert_eq!(has_registers, [true, false, false, false]);
        assert_eq!(session.noticed_bug(), None);
        let last = "isl: operation quota reached; the region is generated in the original order";
        assert_eq!(session.warnings.last().map(String::as_str), Some(last));
    }
}
