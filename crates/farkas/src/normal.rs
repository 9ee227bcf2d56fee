//! The normal form of a region: its own loops, divided and sorted, and the text of each nest.

use crate::analyze::analyze;
use crate::basis::Basis;
use crate::prove::verify;
use crate::setting::setting;
use crate::storage::{asked_for, expanded};
use crate::{Error, Options, Session, Strategy};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_codegen::Target;
use farkas_config::{RecipeFile, RecipeOrder, print_recipe};
use farkas_deps::Dependences;
use farkas_normalize::{
    Joined, NormalForm, Strides, aligned, counted, counted_as, dims_by_loops, joined, normal_form,
};
use farkas_poly::with_budget;
use farkas_scop::{Dim, MemoryLimit, Region, Scop};
use farkas_transform::{
    Action, Contract, FuseProducers, Normalize, Planner, Shaping, ShareParallel,
};
use farkas_tree::{NoThreads, Program, original_tree};
use std::collections::BTreeMap;
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
    let (divide, memory, whole_loops) = (true, MEMORY, true);
    let options = Options { no_threads, divide, memory, whole_loops, ..expanding(options) };
    options.with_recipe(Arc::new(recipe))
}

/// The same options with places of their own for temporaries, of which scalars alone live in elements of arrays.
pub(crate) fn expanding(options: Options) -> Options {
    Options { expand: true, array_homes: false, target: Target::OpenMp, ..options }
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
    let strategy = Strategy::Original.name();
    let order = RecipeOrder { strategy, fusion: None, is_normal: false };
    print_recipe(&name, &basis.steps, order, &steps, None).map_err(|error| {
        Error::Refused(vec![Diagnostic::new(DiagnosticId::NoRecipe, error.to_string())])
    })
}

/// The scop of a region in which loops count by their iterators, statements that are pieces of one are one, and parts of loops begin with one
/// iteration, which was proved; none
/// where nothing changes, or it takes too much work.
///
/// # Errors
/// When isl refuses.
pub(crate) fn in_whole(region: &Region, session: &mut Session) -> Result<Option<Joined>, Error> {
    let join = || -> farkas_normalize::Result<Option<Joined>> {
        let whole = in_pieces(&region.scop)?;
        let scop = whole.as_ref().map_or(&region.scop, |whole| &whole.scop);
        let Some(scop) = aligned(scop)? else { return Ok(whole) };
        let pieces = whole.map(|whole| whole.pieces).unwrap_or_default();
        Ok(Some(Joined { scop, pieces }))
    };
    let join = || with_budget(MAX_OPERATIONS, join);
    match session.run("join", join).map_err(Error::from) {
        Err(error) if error.is_out_of_budget() => Ok(None),
        done => done,
    }
}

/// The region with [statements in one piece](farkas_normalize::joined) and parts of loops that [begin together](farkas_normalize::aligned), of
/// which [`show`](crate::show::show) prints the normal form; none where it is such a region, or finding that takes too much work.
///
/// # Errors
/// When isl refuses.
pub fn whole_region(region: &Region) -> Result<Option<Region>, Error> {
    let whole = in_whole(region, &mut Session::default())?;
    Ok(whole.map(|Joined { scop, .. }| Region { scop, ..region.clone() }))
}

/// The scop with pieces of statements joined: of loops that go on by more than one, too, where that joins any.
fn in_pieces(scop: &Scop) -> farkas_normalize::Result<Option<Joined>> {
    let divided = counted(scop, Strides::Divided)?;
    let own = divided.as_ref().unwrap_or(scop);
    if let Some(by_values) = counted(own, Strides::All)?
        && let Some(Joined { scop, pieces }) = joined(&by_values)?
    {
        let scop = counted_as(&scop, own)?.unwrap_or(scop);
        return Ok(Some(Joined { scop, pieces }));
    }
    let whole = joined(own)?;
    Ok(whole.or_else(|| divided.map(|scop| Joined { scop, pieces: BTreeMap::new() })))
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

/// A region [in whole](in_whole), whose statements have their dimensions in the order and the directions of the loops of the normal form, so
/// that what schedulers choose does not depend on how loops were written; none where it is such a region, or it takes too much work.
///
/// # Errors
/// When isl refuses.
pub(crate) fn in_order_of_loops(
    region: &Region,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Region>, Error> {
    let Some(Joined { scop, .. }) = in_whole(region, session)? else {
        return with_sorted_dims(region, deps, options, session);
    };
    let whole = Region { scop, ..region.clone() };
    let deps = analyze(&whole.scop, options, session)?;
    let sorted = with_sorted_dims(&whole, &deps, options, session)?;
    Ok(Some(sorted.unwrap_or(whole)))
}

/// A region whose statements have their dimensions in the order and the directions of the loops of the normal form; none where they have them, or it
/// takes too much work.
fn with_sorted_dims(
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
        is_same &= order == Dim::as_they_are(order.len());
        parts.stmts[own] = scop.stmts()[own].permuted(&order)?;
    }
    if is_same {
        return Ok(None);
    }
    let scop = parts.build().map_err(farkas_transform::Error::Scop)?;
    Ok(Some(Region { scop, ..region.clone() }))
}

/// The same, whose dependences nobody knows yet.
///
/// # Errors
/// When isl refuses.
pub(crate) fn in_order_of_loops_alone(
    region: &Region,
    options: &Options,
) -> Result<Option<Region>, Error> {
    let mut session = Session::default();
    let deps = analyze(&region.scop, options, &mut session)?;
    in_order_of_loops(region, &deps, options, &mut session)
}

/// An order that is made of the normal form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NormalOrder {
    /// The normal form's own.
    Apart,
    /// That in which producers share loops with their only readers.
    Fused,
    /// That in which loops are shared by what they read, too.
    ReadsFused,
    /// That in which parallel loops stand outermost and are shared, and loops inside of them by what they read.
    Coarse,
}

impl NormalOrder {
    /// All of them, each behind those of which others are made.
    pub(crate) const ALL: [Self; 4] = [Self::Apart, Self::Coarse, Self::Fused, Self::ReadsFused];

    /// Its name among forms.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Apart => "normal form",
            Self::Fused => "normal form, fused",
            Self::ReadsFused => "normal form, reads fused",
            Self::Coarse => "normal form, shared",
        }
    }

    /// The order that it is made of; none for the original one.
    fn before(self) -> Option<Self> {
        match self {
            Self::Apart => None,
            Self::Fused | Self::Coarse => Some(Self::Apart),
            Self::ReadsFused => Some(Self::Fused),
        }
    }

    /// The planners that make it.
    fn planners(self) -> Vec<Planner> {
        match self {
            Self::Apart => vec![Normalize {}.into()],
            Self::Fused => vec![FuseProducers { shared_reads: false }.into()],
            Self::ReadsFused => vec![FuseProducers { shared_reads: true }.into()],
            Self::Coarse => {
                vec![ShareParallel {}.into(), FuseProducers { shared_reads: true }.into()]
            }
        }
    }
}

/// The orders that are made of the normal form, as they are asked for, each with a record of the steps.
pub(crate) struct NormalOrders<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    options: &'a Options,
    made: BTreeMap<NormalOrder, Shaping>,
}

impl<'a> NormalOrders<'a> {
    /// None yet.
    pub(crate) fn new(scop: &'a Scop, deps: &'a Dependences, options: &'a Options) -> Self {
        Self { scop, deps, options, made: BTreeMap::new() }
    }

    /// One of them.
    ///
    /// # Errors
    /// When isl refuses or its budget is used up.
    pub(crate) fn get(
        &mut self,
        order: NormalOrder,
        session: &mut Session,
    ) -> Result<Shaping, Error> {
        if let Some(made) = self.made.get(&order) {
            return Ok(made.clone());
        }
        let mut shaping = match order.before() {
            Some(before) => self.get(before, session)?,
            None => Shaping::new(self.scop, &original_tree(self.scop)?).recorded(),
        };
        for planner in order.planners() {
            let setting = setting(self.scop, self.deps, false, self.options);
            with_budget(MAX_OPERATIONS, || {
                session.run(planner.word(), || shaping.follow(&planner, setting))
            })?;
        }
        self.made.insert(order, shaping.clone());
        Ok(shaping)
    }
}

/// The program in its normal form, with a record of the steps.
fn shaped(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Shaping, Error> {
    NormalOrders::new(scop, deps, options).get(NormalOrder::Apart, session)
}
