//! Whether there is enough work for threads, where sizes decide that: the program is asked.

use crate::analyze::analyze;
use crate::form::{Form, generate};
use crate::own_order::OwnOrder;
use crate::{Error, Options, Session};
use farkas_astgen::{Ast, Work};
use farkas_cost::{assumed_values, worth_of_form};
use farkas_interp::Params;
use farkas_scop::Region;
use farkas_tree::Program;
use std::collections::BTreeMap;

/// The form with the conditions under which each of its parallel loops starts threads, unless the user marked them.
///
/// # Errors
/// When isl refuses.
pub(crate) fn with_threads(
    region: &Region,
    form: Form,
    options: &Options,
    session: &mut Session,
) -> Result<Form, Error> {
    if !options.asks_for_threads() || form.ast.threads().is_empty() {
        return Ok(form);
    }
    let params = large(region)?;
    let Program { scop, .. } = &form.program;
    let asked = || farkas_cost::with_threads(scop, &form.ast, &options.machine, &params);
    let ast = session.run("cost", asked)?;
    Ok(Form { ast, ..form })
}

/// The work, one of which there must be for a form to be faster than the original, of which `original` are the loops if they are known; and
/// the form, whose loops do not ask again for what is asked so. Nothing where the original does not stand beside it for want of work.
///
/// # Errors
/// When isl refuses.
pub(crate) fn worth(
    region: &Region,
    form: Form,
    original: Option<&Ast>,
    options: &Options,
    session: &mut Session,
) -> Result<(Form, Vec<Work>), Error> {
    if form.ast.threads().iter().all(Option::is_none) {
        return Ok((form, Vec::new()));
    }
    let own;
    let original = match original {
        Some(ast) => ast,
        None => {
            let deps = analyze(&region.scop, options, session)?;
            let tree = OwnOrder::of(&region.scop, &deps)?.as_it_is;
            own = generate(region, &Program::new(&region.scop, tree), session)?;
            &own
        }
    };
    let params = large(region)?;
    let forms = ((&region.scop, original), (&form.program.scop, &form.ast));
    let works = || worth_of_form(forms.0, forms.1, &options.machine, &params);
    let works = session.run("cost", works)?.unwrap_or_default();
    let ast = match works.as_slice() {
        [asked] => form.ast.with_threads(|number, _| {
            form.ast.condition(number).filter(|work| *work != asked).cloned()
        }),
        _ => form.ast.clone(),
    };
    Ok((Form { ast, ..form }, works))
}

/// Sizes for which a region is to be fast.
fn large(region: &Region) -> Result<Params, Error> {
    Ok(assumed_values(&region.scop, &BTreeMap::new())?)
}
