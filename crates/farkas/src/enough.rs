//! Whether there is enough work for threads, where sizes decide that: the program is asked.

use crate::analyze::analyze;
use crate::form::{Form, generate};
use crate::own_order::OwnOrder;
use crate::{Error, Options, Session};
use farkas_astgen::{Ast, Start, Work};
use farkas_cost::{assumed_values, estimate, worth_of_form};
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_scop::{Region, Scop, Statement};
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
    let ast = if region.host.starts_threads { started(&ast) } else { ast };
    Ok(Form { ast, ..form })
}

/// The loops that do most of the work, by the number of sizes that it is a product of, without conditions: the user's own pragmas start
/// threads for it. Loops that numbers bound have no sizes.
fn started(ast: &Ast) -> Ast {
    let n_sizes = |work: &Work| work.products.iter().map(|product| product.sizes.len()).max();
    let widest: BTreeMap<usize, Option<usize>> = ast
        .widest()
        .into_iter()
        .map(|(number, work)| (number, work.and_then(|w| n_sizes(&w))))
        .collect();
    let most = widest.values().flatten().copied().max().max(Some(1));
    again(ast, |number, _| widest.get(&number).copied().flatten() < most)
}

/// The loops with those of their conditions that are `kept`, each given with the loop's number.
fn again(ast: &Ast, kept: impl Fn(usize, &Work) -> bool) -> Ast {
    ast.with_threads(|number, _| match ast.condition(number).filter(|work| kept(number, work)) {
        Some(work) => Start::If(work.clone()),
        None => Start::Always,
    })
}

/// When a form is worth running instead of the original.
pub(crate) struct Worth {
    /// The form, whose loops do not ask again for what is asked here.
    pub(crate) form: Form,
    /// The work, one of which there must be; nothing where the original does not stand beside it for want of work.
    pub(crate) works: Vec<Work>,
    /// Whether it gains by threads alone.
    pub(crate) needs_threads: bool,
}

/// A form gains by threads alone where on one core the original takes less than so many times as long: compilers know more of what
/// arrays share in the original loops than in those that threads run.
const GAIN_ON_ONE_CORE: f64 = 1.1;

/// When `form` is faster than what runs where it does not: `other`, or the original.
///
/// # Errors
/// When isl refuses.
pub(crate) fn worth(
    region: &Region,
    form: Form,
    other: Option<&Form>,
    options: &Options,
    session: &mut Session,
) -> Result<Worth, Error> {
    let threads = form.ast.threads();
    if threads.is_empty() {
        return Ok(Worth { form, works: Vec::new(), needs_threads: false });
    }
    let own;
    let other = match other {
        Some(other) => (&other.program.scop, &other.ast),
        None => {
            let deps = analyze(&region.scop, options, session)?;
            let tree = OwnOrder::of(&region.scop, &deps)?.as_it_is;
            own = generate(region, &Program::new(&region.scop, tree), session)?;
            (&region.scop, &own)
        }
    };
    let params = large(region)?;
    let Program { scop, .. } = &form.program;
    let on_one_core = |scop, ast| {
        let machine = Machine { cores: 1, ..options.machine.clone() };
        estimate(scop, ast, &machine, &params).map(|estimate| estimate.cycles())
    };
    let times = session.run("cost", || {
        Ok::<_, Error>((on_one_core(other.0, other.1)?, on_one_core(scop, &form.ast)?))
    })?;
    let needs_threads = times.0 < GAIN_ON_ONE_CORE * times.1 && !must_run_always(&region.scop);
    if threads.iter().all(Option::is_none) {
        return Ok(Worth { form, works: Vec::new(), needs_threads });
    }
    let works = || worth_of_form(other, (scop, &form.ast), &options.machine, &params);
    let works = session.run("cost", works)?.unwrap_or_default();
    let ast = match works.as_slice() {
        [asked] => {
            let is_asked =
                |work: &Work| work.products == asked.products && work.above <= asked.above;
            again(&form.ast, |_, work| !is_asked(work))
        }
        _ => form.ast.clone(),
    };
    Ok(Worth { form: Form { ast, ..form }, works, needs_threads })
}

/// Whether the original would show how many threads there are: its results are rounded in another way, which must not depend on them.
fn must_run_always(scop: &Scop) -> bool {
    let shows_order = |stmt: &Statement| {
        let update = stmt.update(scop.arrays());
        update.is_some_and(|update| !scop.reassociation().permits_on_threads(update.freedom))
    };
    scop.reassociation().is_same_on_all_threads() && scop.stmts().iter().any(shows_order)
}

/// Sizes for which a region is to be fast.
fn large(region: &Region) -> Result<Params, Error> {
    Ok(assumed_values(&region.scop, &region.host.sizes)?)
}
