//! Lowering: from the statements of a region to a scop.
//!
//! [`parse`], [`for_loops`], [`counted`], [`gotos`], [`expr`], [`updates`], [`pure`], [`fields`], [`elements`] and [`hoist`] read syntax into a
//! typed tree ([`hir`]); [`views`], [`closed`] with [`induction`], [`inner`], [`select`], [`temporaries`], [`flags`] and [`params`] settle what names mean;
//! [`build`] walks the tree with [`affine`] at hand and makes statements ([`form`] is its fast path): their domains in [`domain`],
//! their bodies and accesses in [`body`], where [`linear`] splits linearised subscripts. [`arrays`] and [`around`] describe
//! what the region shares with the code around it, [`overlap`] what memory arrays may share, by the [`bases`] of pointers;
//! what is taken for granted ends in [`assume`]. [`reductions`] reads whose updates may be in any order, [`combiners`] by which functions. Errors do not stop the walk: all that is wrong is reported.

mod affine;
mod arms;
mod around;
mod arrays;
mod assume;
mod bases;
mod body;
mod build;
mod callers;
mod closed;
mod combiners;
mod context;
mod counted;
mod defined;
mod definitions;
mod domain;
mod elements;
mod errors;
mod expr;
mod fields;
mod final_values;
mod flags;
mod for_loops;
mod form;
mod gotos;
mod grants;
mod hir;
mod hoist;
mod induction;
mod inner;
mod linear;
mod memory_calls;
mod monomial;
mod neutral;
mod overlap;
mod own_pragmas;
mod params;
mod parse;
mod polynomial;
mod pure;
mod reductions;
mod rows;
mod select;
mod sizes;
mod temporaries;
mod updates;
mod values;
mod vars;
mod views;
mod within;

use crate::Options;
use crate::source::{FileFacts, Region};
use build::Builder;
pub(crate) use context::Context;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_scop::{Grant, Host, Reassociation, ScopBuilder, Violation};
use hir::Node;
pub(crate) use own_pragmas::unknown_pragmas;
use parse::Parser;
pub(crate) use pure::library_function;
pub(crate) use reductions::unused_reductions;
pub(crate) use sizes::unused_sizes;
use std::collections::{BTreeMap, BTreeSet};

/// What isl may spend on one region, in its own operations.
const MAX_OPERATIONS: u64 = 2_000_000;

/// Lowers one region; also returns what is worth a remark.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn lower<'u>(
    facts: &FileFacts<'u>,
    region: &Region<'u>,
    options: &Options,
    context: &Context,
) -> Result<farkas_scop::Region, Vec<Diagnostic>> {
    lower_text(facts, region, options, context).map_err(|errors| {
        // What stands in the body of an inlined function has the place of the call.
        let inlined = |error: &Diagnostic| {
            let place = error.primary.as_ref()?.span;
            facts.unit().inlined_call(place).map(|call| call.name.clone())
        };
        let noted = |error: Diagnostic| match inlined(&error) {
            Some(name) => error.note(format!("in the body of `{name}`, which is looked into here")),
            None => error,
        };
        errors::by_cause(errors.into_iter().map(noted).collect())
    })
}

/// Lowers the text of a region.
fn lower_text<'u>(
    facts: &FileFacts<'u>,
    region: &Region<'u>,
    options: &Options,
    context: &Context,
) -> Result<farkas_scop::Region, Vec<Diagnostic>> {
    let mut parser = Parser::new(facts, region, options);
    let nodes = parser.read();
    if parser.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(parser.diagnostics);
    }
    let grants =
        grants::granted(facts.unit(), region, &options.grants).map_err(|error| vec![*error])?;
    let sizes = sizes::told(facts.unit(), region, &options.sizes).map_err(|error| vec![*error])?;
    let mut lowered = farkas_poly::with_budget(MAX_OPERATIONS, || {
        lower_nodes(&mut parser, nodes, (region, &facts.names()), context, &grants)
    })?;
    lowered.host.sizes = sizes;
    let granted = reductions::granted(&parser, region).map_err(|error| vec![*error])?;
    if !granted.is_empty() {
        let scop = reductions::with(&lowered.scop, &granted);
        lowered.scop = scop.map_err(|violation| vec![internal(&violation)])?;
    }
    if let Some(error) = reductions::first_wrong_use(&parser, &lowered.scop, &granted) {
        return Err(vec![*error]);
    }
    Ok(lowered)
}

/// Lowers what was read.
fn lower_nodes(
    parser: &mut Parser<'_, '_>,
    nodes: Vec<Node>,
    (region, reserved_names): (&Region<'_>, &BTreeSet<String>),
    context: &Context,
    grants: &[Grant],
) -> Result<farkas_scop::Region, Vec<Diagnostic>> {
    let nodes = parser.closed(nodes);
    parser.pointers_move_plainly();
    if parser.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(std::mem::take(&mut parser.diagnostics));
    }
    let nodes = parser.settled(nodes);
    let nodes = parser.selected(nodes);
    let nodes = parser.with_temporaries(nodes);
    let nodes = parser.with_flags(nodes, &|name| context.mentions(name));
    let params = params::parameters(&parser.vars, &nodes);
    let (definitions, stated) = (parser.definitions(&params), parser.stated(&params));
    parser.take_members(&params);
    let parser: &Parser<'_, '_> = parser;
    let (unit, vars) = (parser.unit, &parser.vars);
    let array_names = arrays::ArrayNames::new(vars, reserved_names);
    let builder = Builder::new(unit.source(), vars, &params, array_names, grants);
    let mut builder = builder.map_err(|e| vec![internal(&e)])?;
    let names: Vec<&str> = params.iter().map(|p| vars[*p].name.as_str()).collect();
    let user = context.of(&names).map_err(|e| vec![internal(&e)])?;
    builder.declare_context(user.as_ref()).map_err(|e| vec![internal(&e)])?;
    builder.reads.wanted = parser.uncertain.iter().map(|one| one.var).collect();
    builder.linear = linear::Linear::with(definitions);
    let mut built = builder.region(&nodes);
    let mut nodes = nodes;
    if builder.linear.decide() {
        builder.restart();
        let same = builder.linear.same_sizes();
        nodes = nodes.iter().map(|node| node.substituted(&same)).collect();
        built = builder.region(&nodes);
    }
    builder.sizes_of_declared_arrays();
    builder.sizes_are_products();
    builder.overlaps(parser);
    let outer_iterators = builder.outer_iterators(parser, &nodes);
    if built.is_err() || builder.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(builder.diagnostics);
    }
    if builder.stmts.is_empty() {
        let warning =
            Diagnostic::new(DiagnosticId::NothingToTransform, "the region has no statement");
        return Err(vec![warning.at(unit.source(), region.span, "")]);
    }
    let dropped = builder.dropped(parser);
    let one_thread = own_of_threads(parser).or(region.one_thread.clone());
    let reads = std::mem::take(&mut builder.reads);
    let mut parts = finish(builder, parser, region.name()).map_err(|e| vec![internal(&e)])?;
    parts.params.iter_mut().zip(stated).for_each(|(param, value)| param.stated = value);
    parts.reassociation = parser.options.reassociation;
    let scop = parts.build().map_err(|e| vec![internal(&e)])?;
    let taken = reads.taken_within(parser, &scop).map_err(|e| vec![internal(&e)])?;
    let taken = taken.map_err(|error| vec![*error])?;
    around::private_values(unit, region, &scop, &outer_iterators).map_err(|e| vec![*e])?;
    Ok(farkas_scop::Region {
        scop,
        span: region.span,
        function: region.function_name.clone(),
        host: Host {
            original: unit.source().slice(region.inside).to_owned(),
            indent: region.indentation.clone(),
            reserved_names: reserved_names.clone(),
            taken,
            macro_guards: around::macro_guards(unit, region),
            outer_iterators,
            dropped,
            kept: parser.table.kept_values().into_iter().map(|s| s.name.clone()).collect(),
            needs_braces: region.needs_braces(),
            one_thread,
            starts_threads: region.starts_threads,
            grants: grants.to_vec(),
            sizes: BTreeMap::new(),
        },
    })
}

/// What to say of a variable of the region of which each thread has its own, if there is one: other threads than the present
/// one would use theirs.
fn own_of_threads(parser: &Parser<'_, '_>) -> Option<String> {
    let is_own = |v: &&vars::Var<'_>| {
        let name = v.whole();
        v.symbol.as_ref().is_some_and(|s| s.storage.is_thread_local)
            || parser.unit.is_thread_private(name)
    };
    let var = parser.vars.iter().find(is_own)?;
    Some(format!("each thread has a `{}` of its own", var.name))
}

/// Puts the parts together.
fn finish(
    mut builder: Builder<'_>,
    parser: &Parser<'_, '_>,
    name: String,
) -> Result<ScopBuilder, Violation> {
    builder.dates()?;
    let arrays = arrays::arrays(&mut builder, parser)?;
    let params = builder.params.iter().map(|p| {
        let var = &builder.vars[*p];
        farkas_scop::Parameter::new(var.name.clone(), var.element.text.clone())
    });
    Ok(ScopBuilder {
        name,
        params: params.collect(),
        context: builder.context,
        arrays,
        stmts: builder.stmts,
        assumptions: builder.assumptions,
        defined: Some(builder.defined),
        reassociation: Reassociation::Kept,
    })
}

/// Our own bug.
fn internal(error: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::new(DiagnosticId::InternalError, format!("lowering failed: {error}"))
}
