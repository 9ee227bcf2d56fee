//! What `farkas show` prints: the result of one stage for one region, as text, JSON or a graph.

mod dot;
mod json;
mod locality;
mod mapping;
mod normal;
mod reductions;

pub use json::{
    AccessDoc, ArrayDoc, AstDoc, DependenceDoc, Document, IteratorDoc, LoopDoc, MemberDoc, NodeDoc,
    ParameterDoc, PlaceDoc, RegionDoc, SCHEMA, ScopDoc, StageDoc, StatementDoc, TreeDoc,
};
pub use locality::{AccessPlaceDoc, LocalityDoc, ReferenceDoc, ReuseDoc};
pub use mapping::{BufferDoc, KernelDoc, MappingDoc, OccupancyDoc, WarpDoc};
pub use normal::{NestDoc, NormalFormDoc};
pub use reductions::{ReductionDoc, UpdateDoc};

use crate::analyze::{analyze, reuse};
use crate::basis::Basis;
use crate::decide::{Decided, decide};
use crate::normal::{expanding, in_whole, normalized};
use crate::pipeline::optimize;
use crate::refusal::{dropped, has_message};
use crate::shape::shape;
use crate::storage::asked_for;
use crate::{Error, Input, Options, Session, Strategy, effort};
use farkas_astgen::Ast;
use farkas_deps::{Dependences, Locality, Reduction, Selected};
use farkas_normalize::{Joined, NormalForm};
use farkas_scop::{Assumption, Region};
use farkas_tree::{Program, ScheduleTree};
use std::borrow::Cow;
use std::fmt::Write;

/// A result on the way from a region to its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The scop.
    Scop,
    /// Its dependences.
    Deps,
    /// Its updates of the same elements by one operator.
    Reductions,
    /// What a schedule of it may use again.
    Locality,
    /// Its loop nests, whatever they are written like.
    NormalForm,
    /// The schedule tree as the scheduler returned it.
    Schedule,
    /// The schedule tree after tiling and marking.
    Tree,
    /// The loops that will be printed.
    Ast,
    /// How loops are on a GPU.
    Mapping,
}

/// The result of a stage for a region.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// The region; with other storage where that is asked for.
    pub region: Cow<'a, Region>,
    /// The result.
    pub result: StageResult,
    /// What it took, and what there is to tell.
    pub session: Session,
}

/// What a stage gives.
#[derive(Clone, Debug)]
pub enum StageResult {
    /// The region's own scop.
    Scop,
    /// Dependences.
    Deps(Dependences),
    /// Reductions.
    Reductions(Vec<Reduction>, Vec<Selected>),
    /// Locality.
    Locality(Locality),
    /// The normal form.
    NormalForm(NormalForm),
    /// A schedule tree.
    Tree(ScheduleTree),
    /// Loops, the program that they are of, and what they take for granted beside what the region's scop does.
    Ast(Box<Program>, Ast, Vec<Assumption>),
    /// Kernels, with what their warps touch.
    Mapping(Box<MappingDoc>),
}

/// Runs the passes that `stage` needs, and no others, within the effort of `options`. The loops are those of
/// [`optimize`], verified and with its fallbacks.
///
/// # Errors
/// When isl refuses, a budget is used up, or the legality check fails.
pub fn show<'a>(region: &'a Region, stage: Stage, options: &Options) -> Result<Shown<'a>, Error> {
    let is_auto = matches!(options.strategy, Strategy::Auto);
    let is_order = matches!(stage, Stage::Schedule | Stage::Tree);
    if matches!(stage, Stage::Ast | Stage::Mapping) || is_order && is_auto {
        // What optimizes has a budget of its own, and then another for the simplest form.
        return shown(region, stage, options);
    }
    effort::within(&region.scop, options.effort, || shown(region, stage, options))
}

/// [`show`] without a budget of its own.
fn shown<'a>(region: &'a Region, stage: Stage, options: &Options) -> Result<Shown<'a>, Error> {
    let mut options = options.for_region(region);
    if stage == Stage::NormalForm {
        options = expanding(options);
    }
    let options = &options;
    let mut session = Session::default();
    let is_auto = matches!(options.strategy, Strategy::Auto);
    let result = match stage {
        Stage::Schedule | Stage::Tree if is_auto => {
            let optimized = optimize(region, options)?;
            session = optimized.session;
            let scheduled = optimized.scheduled.filter(|_| stage == Stage::Schedule);
            StageResult::Tree(scheduled.map_or(optimized.tree, |s| s.tree))
        }
        Stage::Ast => {
            let optimized = optimize(region, options)?;
            let program = Box::new(optimized.program());
            session = optimized.session;
            StageResult::Ast(program, optimized.ast, optimized.assumptions)
        }
        Stage::Mapping => {
            let optimized = optimize(region, options)?;
            session = optimized.session.clone();
            let doc = mapping::mapping(region, &optimized, options, &mut session)?;
            StageResult::Mapping(Box::new(doc))
        }
        Stage::Scop if !options.expand => StageResult::Scop,
        _ => {
            let whole = match stage {
                Stage::NormalForm => in_whole(region, &mut session)?,
                _ => None,
            };
            let region = match whole {
                Some(Joined { scop, .. }) => Cow::Owned(Region { scop, ..region.clone() }),
                None => Cow::Borrowed(region),
            };
            let deps = analyze(&region.scop, options, &mut session)?;
            if stage != Stage::Locality {
                session.warnings.clear();
            }
            let basis = Basis::of(&region.scop, deps);
            let basis = asked_for(basis, options, &mut session)?;
            let result = of_basis(&basis, stage, options, &mut session)?;
            let region = Region { scop: basis.scop, ..region.into_owned() };
            return Ok(Shown { region: Cow::Owned(region), result, session });
        }
    };
    Ok(Shown { region: Cow::Borrowed(region), result, session })
}

/// What a stage before the loops gives of a basis.
fn of_basis(
    basis: &Basis,
    stage: Stage,
    options: &Options,
    session: &mut Session,
) -> Result<StageResult, Error> {
    let Basis { scop, deps, .. } = basis;
    Ok(match stage {
        Stage::Scop | Stage::Ast | Stage::Mapping => StageResult::Scop,
        Stage::Deps => StageResult::Deps(deps.clone()),
        Stage::Reductions => {
            let found = session.run("reductions", || farkas_deps::reductions(scop))?;
            let selected = session.run("reductions", || farkas_deps::selections(scop))?;
            StageResult::Reductions(found, selected)
        }
        Stage::Locality => StageResult::Locality(reuse(scop, deps, session)?),
        Stage::NormalForm => StageResult::NormalForm(normalized(scop, deps, options, session)?),
        Stage::Schedule | Stage::Tree => {
            let decided = decide(scop, deps, options, session)?;
            let Decided { tree, scheduled, reorders } = decided;
            session.diagnostics.extend(dropped(scheduled.as_ref(), scop, deps, options));
            let others = scheduled.iter().flat_map(|s| &s.report.warnings);
            let others = others.filter(|warning| !has_message(warning));
            session.warnings.extend(others.map(ToString::to_string));
            if stage == Stage::Schedule {
                return Ok(StageResult::Tree(tree));
            }
            let shaped = shape(scop, deps, reorders, &tree, options, session)?;
            StageResult::Tree(shaped.0.tree)
        }
    })
}

/// The results for people: isl notation and YAML, each region under a line with its name.
pub fn to_text(input: &Input, shown: &[Shown<'_>]) -> String {
    let mut text = String::new();
    for (i, part) in shown.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        let scop = &part.region.scop;
        if !matches!(part.result, StageResult::Scop) {
            let line = input.source.line(part.region.span);
            let _ = writeln!(text, "# {} (line {line} of {})", scop.name(), input.source.name());
        }
        let body = match &part.result {
            StageResult::Scop => scop.to_string(),
            StageResult::Deps(deps) => deps.to_string(),
            StageResult::Reductions(found, selected) => {
                reductions::text(&input.source, scop, (found, selected))
            }
            StageResult::Locality(locality) => locality.to_string(),
            StageResult::NormalForm(form) => normal::text(form),
            StageResult::Tree(tree) => tree.to_string(),
            StageResult::Ast(_, ast, _) => ast.to_string(),
            StageResult::Mapping(doc) => mapping::text(doc),
        };
        text.push_str(body.trim_end());
        text.push('\n');
    }
    text
}

/// The results for programs: one [`Document`] as indented JSON.
pub fn to_json(input: &Input, shown: &[Shown<'_>]) -> String {
    let document = Document::new(input, shown);
    // The document's types have text keys alone, which always become JSON.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// The results as one graph for Graphviz, each region a cluster.
pub fn to_dot(input: &Input, shown: &[Shown<'_>]) -> String {
    dot::graph(input, shown)
}
