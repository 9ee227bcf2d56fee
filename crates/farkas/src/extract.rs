//! Recipes of results: the steps that lead to the code that a strategy emits.

use crate::analyze::analyze;
use crate::basis::Basis;
use crate::code::Optimized;
use crate::decide::{Decided, decide};
use crate::normal::{NormalOrders, in_order_of_loops_alone};
use crate::options::{AUTO, RECIPE_OF};
use crate::own_order::OwnOrder;
use crate::pipeline::optimize;
use crate::scheduling::lines;
use crate::setting::setting;
use crate::shape::by_template;
use crate::storage::{asked_for, expanded};
use crate::{Error, Options, Session, Strategy};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_config::{RecipeFile, RecipeOrder, print_recipe};
use farkas_deps::Dependences;
use farkas_scop::{Region, Scop};
use farkas_steps::Step;
use farkas_transform::{Action, Followed, Shaping};
use std::sync::Arc;

/// The recipe, as the text of a file, that makes the code that `options` make of a region. It was applied, and makes it.
///
/// # Errors
/// [`Error::Refused`] where parts of the result are no steps yet; when isl refuses.
pub fn extract(region: &Region, options: &Options) -> Result<String, Error> {
    let options = &Options { one_form: true, ..options.for_region(region) };
    let emitted = optimize(region, options)?;
    let form = &emitted.options;
    let renamed = match options.normalize {
        true => in_order_of_loops_alone(region, options)?,
        false => None,
    };
    let own = renamed.as_ref().map(|renamed| &renamed.scop);
    let is_expanded = emitted.storage.is_some() && emitted.storage.as_ref() != own;
    let Record { storage, steps } = record(renamed.as_ref().unwrap_or(region), form, is_expanded)?;
    let strategy = named(&form.strategy);
    let (fusion, is_normal) = (form.fusion, renamed.is_some());
    let order = RecipeOrder { strategy: &strategy, fusion, is_normal };
    let name = format!("{RECIPE_OF}{}", headline(&emitted, options));
    let up_to = emitted.ranking.as_ref().map(|ranking| ranking.original_up_to.as_slice());
    let up_to = up_to.filter(|sizes| !sizes.is_empty()).map(|sizes| (sizes, &region.scop));
    let text = print_recipe(&name, &storage, order, &steps, up_to)
        .map_err(|error| refused(region, &error.to_string()))?;
    let source = Arc::new(SourceFile::new("recipe.json", text.clone()));
    let recipe = Arc::new(RecipeFile::parse(source).map_err(Error::Refused)?);
    let again = options.clone().with_recipe(recipe).map_err(Error::Refused)?;
    if optimize(region, &again)?.code != emitted.code {
        return Err(refused(region, "a test of sizes, or copies of what was kept in registers"));
    }
    Ok(text)
}

/// The recipe, as the text of a file, whose planners do what `options` say to the order of their strategy, whatever the program.
///
/// # Errors
/// The message for strategy `auto`, which compares several such recipes.
pub fn template(options: &Options) -> Result<String, Box<Diagnostic>> {
    if matches!(options.strategy, Strategy::Auto) {
        let message = "strategy auto compares the results of several recipes for each region";
        let help =
            "name another strategy, or write the recipe of a result with `farkas recipe extract`";
        return Err(Box::new(Diagnostic::new(DiagnosticId::NoRecipe, message).help(help)));
    }
    let planners = options.template.planners().iter().cloned().map(Action::Plan);
    let name = format!("{RECIPE_OF}{}", options.strategy.name());
    let strategy = named(&options.strategy);
    let order = RecipeOrder { strategy: &strategy, fusion: options.fusion, is_normal: false };
    let text = print_recipe(&name, &[], order, &planners.collect::<Vec<_>>(), None);
    text.map_err(|error| Box::new(Diagnostic::new(DiagnosticId::NoRecipe, error.to_string())))
}

/// What is done to a region.
#[derive(Default)]
struct Record {
    /// Before its order.
    storage: Vec<Step>,
    /// To its order.
    steps: Vec<Action>,
}

/// What is done to make a form, with other storage or not.
fn record(region: &Region, form: &Options, is_expanded: bool) -> Result<Record, Error> {
    if form.keeps_order() && form.normal_order.is_none() {
        return Ok(Record::default());
    }
    let mut session = Session::default();
    let deps = analyze(&region.scop, form, &mut session)?;
    let mut basis = Basis::of(&region.scop, deps);
    if is_expanded && (form.recipe.is_some() || form.divide) {
        basis = asked_for(basis, form, &mut session)?;
    } else if is_expanded && let Some(expanded) = expanded(&basis, form, &mut session)? {
        basis = expanded;
    }
    let Basis { scop, deps, steps: storage, .. } = basis;
    let (begun, reorders) = beginning(&scop, &deps, form, &mut session)?;
    if let Some(recipe) = &form.recipe {
        // A form that was made by a recipe: its steps apply.
        let (_, _, before) = begun.done();
        let own = recipe.resolve(&scop, lines(form)).map_err(Error::Refused)?;
        let before = before.into_iter().map(Action::Step);
        let steps = before.chain(own.into_iter().map(|step| step.action)).collect();
        return Ok(Record { storage, steps });
    }
    let setting = setting(&scop, &deps, reorders, form);
    let mut known = Followed::default();
    let (_, _, steps) = by_template(setting, begun, form, &mut known, &mut session)?.done();
    let steps = steps.into_iter().map(Action::Step).collect();
    Ok(Record { storage, steps })
}

/// The order that a form is shaped from, with a record of the steps that lead there from its strategy's, and whether live ranges may be in
/// another order.
fn beginning(
    scop: &Scop,
    deps: &Dependences,
    form: &Options,
    session: &mut Session,
) -> Result<(Shaping, bool), Error> {
    let Some(order) = form.normal_order else {
        let Decided { tree, reorders, .. } = decide(scop, deps, form, session)?;
        return Ok((Shaping::new(scop, &tree).recorded(), reorders));
    };
    let mut shaping = NormalOrders::new(scop, deps, form).get(order, session)?;
    let own = OwnOrder::of_tree(scop, deps, shaping.program().tree.clone())?;
    let reorders = own.wants_copies();
    shaping.reorder(own.with_copies);
    Ok((shaping, reorders))
}

/// What a result says of who decided it.
fn headline(emitted: &Optimized, options: &Options) -> String {
    let ranked = emitted.ranking.iter().flat_map(|ranking| &ranking.forms);
    match ranked.clone().find(|form| form.is_chosen) {
        Some(form) => format!("{AUTO}{}", form.name),
        None => options.deciding(),
    }
}

/// A strategy as `--strategy` takes it.
fn named(strategy: &Strategy) -> String {
    match strategy {
        Strategy::File(file) if Strategy::from_name(file.name()).is_none() => {
            file.source().name().to_owned()
        }
        other => other.name().to_owned(),
    }
}

/// The message on a result that steps cannot make.
fn refused(region: &Region, why: &str) -> Error {
    let name = region.scop.name();
    let message = format!("no recipe makes what is made of `{name}`: {why}");
    Error::Refused(vec![
        Diagnostic::new(DiagnosticId::NoRecipe, message).help(
            "name a strategy, or switch off what is no step yet, with --no-tile for instance",
        ),
    ])
}
